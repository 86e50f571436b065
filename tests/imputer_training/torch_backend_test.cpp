#include "imputer_training/torch_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network_fixtures.h"

namespace haplospin {
namespace {

// The same window imputed by the vector kernels and through LibTorch.
void ExpectSameDosages(const std::string& device, const ImputerWeights& weights) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 140, .markers = 300, .seed = 5});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 64));
  const SimulatedStudy study(DiploidSamples("S", 6), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(128));
  const auto impute = [&](NetworkBackend* backend) {
    return ImputeWindow(panel, GeneticMap::Uniform(), study.View(), 0, panel.num_markers(), weights,
                        {.backend = backend});
  };
  const WindowDosages kernels = impute(nullptr);
  const std::unique_ptr<NetworkBackend> backend = MakeTorchBackend(device, weights);
  const WindowDosages torch = impute(backend.get());
  int largest = 0;
  size_t between = 0;  // neither 0 nor 1: of these the network had something to say
  for (size_t h = 0; h < kernels.num_haplotypes(); ++h) {
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      largest = std::max(largest, std::abs(int{kernels.row(h)[m]} - int{torch.row(h)[m]}));
      between += kernels.row(h)[m] > 650 && kernels.row(h)[m] < 64885;
    }
  }
  EXPECT_LE(largest, 13);  // 2e-4
  EXPECT_GT(between, 100u);
}

TEST(TorchBackendTest, AgreesWithTheKernelsBeforeTraining) { ExpectSameDosages("cpu", LiStephensWeights()); }

TEST(TorchBackendTest, AgreesWithTheKernelsForAnyWeights) {
  for (uint64_t seed : {1, 2, 3}) ExpectSameDosages("cpu", RandomWeights(seed));
}

TEST(TorchBackendTest, AgreesWithTheKernelsOnAGpu) {
  if (!SeesCudaDevice()) GTEST_SKIP() << "no CUDA device";
  for (uint64_t seed : {1, 2, 3}) ExpectSameDosages("cuda", RandomWeights(seed));
}

TEST(TorchBackendTest, WantsADeviceThatIsThere) {
  EXPECT_THROW(MakeTorchBackend("cuda:99", LiStephensWeights()), InputError);
}

}  // namespace
}  // namespace haplospin
