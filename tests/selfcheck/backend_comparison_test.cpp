#include "selfcheck/backend_comparison.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"

namespace haplospin {
namespace {

const ComparisonOptions kSmall{.samples = 4, .haplotypes = 120, .markers = 300, .seed = 3};

TEST(BackendComparison, TheSameBackendTwiceAgrees) {
  const auto backend = MakeCpuBackend(LiStephensWeights());
  const BackendComparison result = CompareBackends(*backend, *backend, kSmall);
  EXPECT_GT(result.typed, 10u);
  EXPECT_EQ(result.max_difference, 0);
  EXPECT_EQ(result.mean_difference, 0);
  for (const BackendRun& run : result.runs) {
    EXPECT_GT(run.seconds, 0);
    EXPECT_GT(run.mean_squared_error, 0);
    EXPECT_LT(run.mean_squared_error, 0.1);
  }
}

TEST(BackendComparison, OtherWeightsDiffer) {
  const BackendComparison result =
      CompareBackends(*MakeCpuBackend(LiStephensWeights()), *MakeCpuBackend(RandomWeights(1)), kSmall);
  EXPECT_GT(result.max_difference, 0.01);
  EXPECT_GT(result.max_difference, result.mean_difference);
  EXPECT_NE(result.runs[0].mean_squared_error, result.runs[1].mean_squared_error);
}

}  // namespace
}  // namespace haplospin
