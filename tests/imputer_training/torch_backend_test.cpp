#include "imputer_training/torch_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network/cpu_backend.h"
#include "imputation/network_fixtures.h"
#include "imputation/window_imputer.h"

namespace haplospin {
namespace {

// The same window imputed by the vector kernels and through LibTorch.
void ExpectSameDosages(const std::string& device, const ImputerWeights& weights) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 140, .markers = 300, .seed = 5});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 64));
  const SimulatedStudy study(DiploidSamples("S", 6), CommonMarkers(panel, 4), std::span(mosaic.alleles).subspan(128));
  const auto impute = [&](const std::unique_ptr<NetworkBackend>& backend) {
    return ImputeWindow(panel, GeneticMap::Uniform(), study.View(), {0, panel.num_markers()}, *backend);
  };
  const WindowDosages kernels = impute(MakeCpuBackend(weights));
  const WindowDosages torch = impute(MakeTorchBackend(device, weights));
  float largest = 0;
  size_t between = 0;  // neither 0 nor 1: these depend on the network
  for (size_t h = 0; h < kernels.num_haplotypes(); ++h) {
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      largest = std::max(largest, std::abs(kernels.Get(h, m) - torch.Get(h, m)));
      between += kernels.Get(h, m) > 0.01f && kernels.Get(h, m) < 0.99f;
    }
  }
  EXPECT_LE(largest, 2e-4f);
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
