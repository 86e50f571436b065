#include "selfcheck/kernel_comparison.h"

#include <gtest/gtest.h>

#include <array>

#include "genotypes/imputation/backends/gpu/cuda_driver.h"
#include "genotypes/imputation/backends/gpu/device.h"
#include "genotypes/imputation/models/network/network_fixtures.h"

namespace haplospin {
namespace {

TEST(KernelComparison, EachKernelAgreesWithTheCpu) {
  for (const uint64_t seed : {1, 2}) {
    Device gpu(OpenCudaDriver(HAPLOSPIN_EMULATED_DRIVER), 0, "");
    const std::array<double, kNumKernels> largest = CompareKernels(gpu, RandomWeights(seed), seed);
    for (size_t k = 0; k < kNumKernels; ++k) EXPECT_LE(largest[k], 2e-4) << kKernelNames[k];
    // These have other values than 0 and 1, so that rounding differs.
    for (const Kernel kernel : {Kernel::kRunRecursions, Kernel::kExaminePhase, Kernel::kFindSampleShares,
                                Kernel::kComputeLogits, Kernel::kComputeWeights, Kernel::kImputeAlleles}) {
      EXPECT_GT(largest[static_cast<size_t>(kernel)], 0) << kKernelNames[static_cast<size_t>(kernel)];
    }
  }
}

}  // namespace
}  // namespace haplospin
