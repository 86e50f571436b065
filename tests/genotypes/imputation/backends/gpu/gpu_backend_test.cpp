#include "genotypes/imputation/backends/gpu/gpu_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "haplospin/errors.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr float kTolerance = 1e-4f;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

std::shared_ptr<Device> EmulatedGpu() {
  return std::make_shared<Device>(OpenCudaDriver(HAPLOSPIN_EMULATED_DRIVER), 0, "");
}

// The same window imputed by the vector kernels and by those of a GPU, from all states of each target: from more, which
// ones are the last candidates may depend on rounding.
void ExpectSameDosages(const ImputerWeights& weights, const HaplotypePanel& panel, const WindowStudy& study) {
  const CopyingOptions copying{.states = {.max_states = kMaxCandidates, .matches = {.per_block = 4}}, .min_product = 0};
  const GeneticMap map = GeneticMap::Uniform();
  const PanelWindow window(panel, map, study.typed(), {0, panel.num_markers()}, copying);
  const auto impute = [&](const std::unique_ptr<Backend>& backend) { return ImputeWindow(window, study, *backend); };
  const WindowDosages expected = impute(MakeCpuBackend(weights));
  const WindowDosages found = impute(MakeGpuBackend(EmulatedGpu(), weights, kNoLimit));
  float largest = 0, largest_left_out = 0;
  size_t between = 0;  // number of uncertain probabilities, which depend on the network
  for (size_t h = 0; h < expected.num_haplotypes(); ++h) {
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      largest = std::max(largest, std::abs(expected.Get(h, m) - found.Get(h, m)));
      between += expected.Get(h, m) > 0.01f && expected.Get(h, m) < 0.99f;
    }
    for (size_t k = 0; k < expected.typed->markers.size(); ++k) {
      largest_left_out =
          std::max(largest_left_out, std::abs(expected.typed->left_out.Get(h, k) - found.typed->left_out.Get(h, k)));
    }
  }
  EXPECT_LE(largest, kTolerance);
  EXPECT_LE(largest_left_out, kTolerance);
  EXPECT_GT(between, 100u);
}

// Composites of a panel with more haplotypes than states, and samples of one haplotype and of two.
void ExpectSameDosages(const ImputerWeights& weights) {
  const std::vector<int> ploidies{2, 1, 2, 2, 1, 2, 2};
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 312, .markers = 300, .seed = 5});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 150));
  const SimulatedStudy study(MakeSamples("S", ploidies), CommonMarkers(panel, 4),
                             std::span(mosaic.alleles).subspan(300));
  ExpectSameDosages(weights, panel, study.View());
}

TEST(GpuBackendTest, AgreesWithTheVectorKernelsBeforeTraining) { ExpectSameDosages(LiStephensWeights()); }

TEST(GpuBackendTest, AgreesWithTheVectorKernelsForAnyWeights) {
  for (uint64_t seed : {1, 2, 3}) ExpectSameDosages(RandomWeights(seed));
}

// The haplotypes of most samples are exchanged in the middle.
TEST(GpuBackendTest, AgreesWithTheVectorKernelsWhereErrorsOfPhaseAreCorrected) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 320, .markers = 500, .switches_per_cm = 0.5, .seed = 9});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 150));
  SimulatedStudy study(DiploidSamples("S", 10), CommonMarkers(panel, 2), std::span(mosaic.alleles).subspan(300));
  for (size_t j = study.typed.size() / 2; j < study.typed.size(); ++j) {
    for (size_t h = 0; h < 16; h += 2) std::swap(study.rows[j].alleles[h], study.rows[j].alleles[h + 1]);
  }
  WindowReport report;
  ImputeStudy(panel, study.View(), {0, panel.num_markers()}, *MakeCpuBackend(RandomWeights(5)), {}, &report);
  EXPECT_GT(report.phase_errors.errors, 3u);
  ExpectSameDosages(RandomWeights(5), panel, study.View());
}

// Imputes two batches of haploid samples of a study, which have different mismatch probabilities.
WindowDosages ImputeTwoBatches(const HaplotypePanel& panel, const SimulatedStudy& study, Backend& backend) {
  const GeneticMap map = GeneticMap::Uniform();
  const PanelWindow window(panel, map, study.typed, {0, panel.num_markers()});
  const PanelEstimates estimates = EstimatePanel(window);
  const ImputedMarkers markers(window);
  const size_t num_haplotypes = study.samples.num_samples();
  WindowDosages dosages(window.wanted(), num_haplotypes, {study.typed, num_haplotypes});
  std::atomic<size_t> num_set = 0;  // counted on all threads
  const WindowStudy view = study.View();
  const auto imputing =
      backend.Start({window, estimates, markers, view, dosages, [&](const SampleTargets&) { ++num_set; }});
  const size_t half = study.samples.num_samples() / 2;
  for (const size_t first : {size_t{0}, half}) {
    auto batch = std::make_unique<SampleBatch>();
    batch->first_sample = first;
    for (size_t s = first; s < first + half; ++s) {
      std::vector<uint8_t> alleles;
      for (const GenotypeRow& row : study.rows) alleles.push_back(row.alleles[s]);
      batch->samples.push_back({.versions = {{.haplotypes = {TargetHaplotype(alleles)}}}});
      batch->selected.push_back(s - first);
    }
    batch->model = estimates.copying.model;
    batch->model.mismatch_probability = first == 0 ? 1e-3f : 0.05f;
    batch->selection = std::make_shared<const StateSelection>(window.typed_panel(), MostProbable(batch->samples),
                                                              window.options().states);
    imputing->Impute(std::move(batch));
  }
  imputing->Finish();
  EXPECT_EQ(num_set, study.samples.num_samples());
  return dosages;
}

// With little memory, each group has a few samples of one batch or of both.
TEST(GpuBackendTest, ImputesBatchesInGroups) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 96, .markers = 100, .seed = 7});
  const HaplotypePanel panel = MakePanel(mosaic, HaploidSamples("R", 80));
  const SimulatedStudy study(HaploidSamples("S", 16), CommonMarkers(panel, 3), std::span(mosaic.alleles).subspan(80));
  const WindowDosages expected = ImputeTwoBatches(panel, study, *MakeCpuBackend(RandomWeights(1)));
  for (const size_t max_bytes : {kNoLimit, size_t{1} << 17, size_t{1}}) {
    const auto backend = MakeGpuBackend(EmulatedGpu(), RandomWeights(1), max_bytes);
    const WindowDosages found = ImputeTwoBatches(panel, study, *backend);
    for (size_t h = 0; h < 16; ++h) {
      for (size_t m = 0; m < 100; ++m) ASSERT_NEAR(found.Get(h, m), expected.Get(h, m), kTolerance) << h << " " << m;
    }
  }
}

// Dosages are averages over versions of the phase.
TEST(GpuBackendTest, AgreesWithTheVectorKernelsWhereThePhaseIsAmbiguous) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 216, .markers = 300, .seed = 6});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 100));
  SimulatedStudy study(DiploidSamples("S", 8), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(200));
  for (GenotypeRow& row : study.rows) row.unphased.assign(8, 1);
  ExpectSameDosages(RandomWeights(4), panel, study.View());
}

TEST(GpuBackendTest, ImputesMissingGenotypes) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 225, .markers = 200});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 110));
  SimulatedStudy study(MakeSamples("S", std::vector<int>{2, 1, 2}), CommonMarkers(panel, 3),
                       std::span(mosaic.alleles).subspan(220));
  study.rows[4].alleles[1] = study.rows[9].alleles[3] = kMissingAllele;
  ExpectSameDosages(RandomWeights(4), panel, study.View());
}

// More states than candidates, and more than one warp has.
TEST(GpuBackendTest, ChoosesTheBestOfManyStates) {
  using Limits = std::pair<size_t, size_t>;  // of states and of candidates
  for (const auto& [max_states, max_candidates] : {Limits{200, kMaxCandidates}, {1500, 64}, {2500, kMaxCandidates}}) {
    const Mosaic mosaic = SimulateMosaic({.haplotypes = 3004, .markers = 120, .seed = 3});
    const HaplotypePanel panel = MakePanel(mosaic, HaploidSamples("R", 3000));
    const SimulatedStudy study(HaploidSamples("S", 4), CommonMarkers(panel, 3),
                               std::span(mosaic.alleles).subspan(3000));
    const CopyingOptions copying{.states = {.max_states = max_states, .matches = {.per_block = 200}},
                                 .max_candidates = max_candidates};
    const ImputerWeights weights = RandomWeights(2);
    const auto impute = [&](const std::unique_ptr<Backend>& backend) {
      return ImputeStudy(panel, study.View(), {0, panel.num_markers()}, *backend, copying);
    };
    const WindowDosages expected = impute(MakeCpuBackend(weights));
    const WindowDosages found = impute(MakeGpuBackend(EmulatedGpu(), weights, kNoLimit));
    size_t different = 0;  // Rounding can decide which of nearly equal states is the last.
    for (size_t h = 0; h < 4; ++h) {
      for (size_t m = 0; m < panel.num_markers(); ++m) {
        different += std::abs(expected.Get(h, m) - found.Get(h, m)) > kTolerance;
      }
    }
    EXPECT_LE(different, 4 * panel.num_markers() / 50) << max_states;
  }
}

TEST(GpuBackendTest, TwoRunsAreTheSame) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 312, .markers = 200, .seed = 5});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 150));
  const SimulatedStudy study(DiploidSamples("S", 6), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(300));
  const auto impute = [&] {
    return ImputeStudy(panel, study.View(), {0, 200}, *MakeGpuBackend(EmulatedGpu(), RandomWeights(1), kNoLimit));
  };
  const WindowDosages first = impute(), second = impute();
  for (size_t h = 0; h < 12; ++h) {
    for (size_t m = 0; m < 200; ++m) ASSERT_EQ(first.Get(h, m), second.Get(h, m));
  }
}

TEST(GpuBackendTest, RefusesNetworksThatTheKernelsAreNotFor) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 112, .markers = 60, .seed = 5});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", 50));
  const SimulatedStudy study(DiploidSamples("S", 6), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(100));
  const auto backend = MakeGpuBackend(EmulatedGpu(), RandomWeights(1, 64, 32), kNoLimit);
  EXPECT_THROW(ImputeStudy(panel, study.View(), {0, 60}, *backend), InputError);
}

}  // namespace
}  // namespace haplospin
