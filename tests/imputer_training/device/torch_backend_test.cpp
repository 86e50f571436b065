#include "imputer_training/device/torch_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "haplospin/errors.h"
#include "imputation/copying/copying_states.h"
#include "imputation/imputing/cpu_backend.h"
#include "imputation/imputing/impute_window.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network/network_fixtures.h"

namespace haplospin {
namespace {

constexpr float kTolerance = 1e-4f;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// The same window imputed by the vector kernels and through LibTorch, from all states of each target: from more, which
// ones are the last candidates may depend on rounding. With few matches, there are no more states for two targets.
void ExpectSameDosages(const std::string& device, const ImputerWeights& weights, const HaplotypePanel& panel,
                       const WindowStudy& study, size_t max_bytes = kNoLimit) {
  const CopyingOptions copying{.states = {.max_states = kMaxCandidates, .matches = {.per_block = 4}}, .min_product = 0};
  const auto impute = [&](const std::unique_ptr<Backend>& backend) {
    return ImputeStudy(panel, study, {0, panel.num_markers()}, *backend, copying);
  };
  const WindowDosages kernels = impute(MakeCpuBackend(weights));
  const WindowDosages torch = impute(MakeTorchBackend(device, weights, max_bytes));
  float largest = 0, largest_left_out = 0;
  size_t between = 0;  // number of uncertain probabilities, which depend on the network
  for (size_t h = 0; h < kernels.num_haplotypes(); ++h) {
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      largest = std::max(largest, std::abs(kernels.Get(h, m) - torch.Get(h, m)));
      between += kernels.Get(h, m) > 0.01f && kernels.Get(h, m) < 0.99f;
    }
    for (size_t k = 0; k < kernels.left_out_markers.size(); ++k) {
      largest_left_out = std::max(largest_left_out, std::abs(kernels.left_out.Get(h, k) - torch.left_out.Get(h, k)));
    }
  }
  EXPECT_LE(largest, kTolerance);
  EXPECT_LE(largest_left_out, kTolerance);
  EXPECT_GT(between, 100u);
}

// Composites of a panel with more haplotypes than states, and samples of one haplotype and of two. In several groups of
// samples that the network computes together.
void ExpectSameDosages(const std::string& device, const ImputerWeights& weights) {
  const std::vector<int> ploidies{2, 1, 2, 2, 1, 2, 2};
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 312, .markers = 300, .seed = 5});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 150));
  const SimulatedStudy study(MakeSamples("S", ploidies), CommonMarkers(panel, 4),
                             std::span(mosaic.alleles).subspan(300));
  ExpectSameDosages(device, weights, panel, study.View());
}

TEST(TorchBackendTest, AgreesWithTheKernelsBeforeTraining) { ExpectSameDosages("cpu", LiStephensWeights()); }

TEST(TorchBackendTest, AgreesWithTheKernelsForAnyWeights) {
  for (uint64_t seed : {1, 2, 3}) ExpectSameDosages("cpu", RandomWeights(seed));
}

// The haplotypes of most samples are exchanged in the middle.
TEST(TorchBackendTest, AgreesWithTheKernelsWhereErrorsOfPhaseAreCorrected) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 320, .markers = 500, .switches_per_cm = 0.5, .seed = 9});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 150));
  SimulatedStudy study(DiploidSamples("S", 10), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(300));
  for (size_t j = study.typed.size() / 2; j < study.typed.size(); ++j) {
    for (size_t h = 0; h < 16; h += 2) std::swap(study.alleles[j][h], study.alleles[j][h + 1]);
  }
  const WindowDosages kernels =
      ImputeStudy(panel, study.View(), {0, panel.num_markers()}, *MakeCpuBackend(RandomWeights(5)));
  EXPECT_GT(kernels.phase_errors.errors, 3u);
  ExpectSameDosages("cpu", RandomWeights(5), panel, study.View());
}

// Two batches, of which the last has wrong genotypes and so its own mismatch probability, each in many groups of few
// targets.
TEST(TorchBackendTest, AgreesWithTheKernelsForManySamples) {
  constexpr size_t kOfPanel = 200, kCorrect = kSamplesAtATime, kWrong = 40;
  Mosaic mosaic = SimulateMosaic({.haplotypes = kOfPanel + kCorrect + kWrong, .markers = 200, .seed = 7});
  RandomStream random(8);
  for (size_t h = kOfPanel + kCorrect; h < mosaic.alleles.size(); ++h) {
    for (uint8_t& allele : mosaic.alleles[h]) allele ^= random.Bernoulli(0.08) ? 1 : 0;
  }
  const HaplotypePanel panel = PanelOf(mosaic, HaploidSamples("R", kOfPanel));
  const SimulatedStudy study(HaploidSamples("S", kCorrect + kWrong), CommonMarkers(panel, 3),
                             std::span(mosaic.alleles).subspan(kOfPanel));
  for (const size_t max_bytes : {kNoLimit, size_t{1} << 24, size_t{1}}) {
    ExpectSameDosages("cpu", LiStephensWeights(), panel, study.View(), max_bytes);
  }
}

// Dosages are averages over versions of the phase.
TEST(TorchBackendTest, AgreesWithTheKernelsWhereThePhaseIsAmbiguous) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 216, .markers = 300, .seed = 6});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 100));
  const SimulatedStudy study(DiploidSamples("S", 8), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(200));
  const std::vector<uint8_t> all_samples(8, 1);
  WindowStudy view = study.View();
  view.unphased.assign(view.typed.size(), &all_samples);
  ExpectSameDosages("cpu", RandomWeights(4), panel, view);
}

TEST(TorchBackendTest, AgreesWithTheKernelsOnAGpu) {
  if (!SeesCudaDevice()) GTEST_SKIP() << "no CUDA device";
  for (uint64_t seed : {1, 2, 3}) ExpectSameDosages("cuda", RandomWeights(seed));
}

TEST(TorchBackendTest, WantsADeviceThatIsThere) {
  EXPECT_THROW(MakeTorchBackend("cuda:99", LiStephensWeights(), kNoLimit), InputError);
}

}  // namespace
}  // namespace haplospin
