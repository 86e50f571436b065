#include "processes/process_evaluation.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

TEST(EvaluationSums, OfAKnownDistribution) {
  torch::manual_seed(3);
  const torch::Tensor mean = torch::randn({1, 40, 50, 2}, torch::kFloat64),
                      sd = torch::rand({1, 40, 50, 2}, torch::kFloat64) + 0.2;
  const torch::Tensor y = mean[0] + sd[0] * torch::randn({40, 50, 2}, torch::kFloat64);
  EvaluationSums right, proud;
  right.Add({mean, sd}, y);
  proud.Add({mean, 0.3 * sd}, y);
  const ProcessEvaluation result = right.Result();
  EXPECT_EQ(result.tasks, 40);
  EXPECT_EQ(result.targets, 2000);
  EXPECT_NEAR(result.log_likelihood, (-0.5 * std::log(2 * M_PI) - 0.5 - sd.log().mean().item<double>()) * 2, 0.15);
  EXPECT_NEAR(result.rmse, (y - mean[0]).square().mean().sqrt().item<double>(), 1e-9);
  EXPECT_EQ(result.confidence.size(), 11u);
  EXPECT_EQ(result.covered.front(), 0);
  EXPECT_EQ(result.covered.back(), 1);
  for (size_t i = 0; i < 11; ++i) EXPECT_NEAR(result.covered[i], result.confidence[i], 0.04);
  EXPECT_LT(result.calibration, 5e-4);
  EXPECT_GT(proud.Result().calibration, 0.05);
  EXPECT_GT(result.log_likelihood, proud.Result().log_likelihood);
  EXPECT_GT(result.standard_error, 0);
}

}  // namespace
}  // namespace haplospin
