#include "learning/tabular/baselines.h"

#include <gtest/gtest.h>

#include "learning/tabular/tabular_metrics.h"

namespace haplospin {
namespace {

const Attributes kBaselineAttributes = {{0}, {0}, {2}};
const torch::Tensor kBaselineTargets = torch::tensor({false, true, true});

TEST(Baselines, NeighborsAndFrequencies) {
  torch::manual_seed(3);
  EncodedTable known{torch::randn({300, 3}), torch::zeros({300, 3}, torch::kBool)};
  known.values.select(1, 1).copy_(known.values.select(1, 0).sign());
  known.values.select(1, 2).copy_((known.values.select(1, 0) > 0).to(torch::kFloat32));
  const EncodedTable rows = known.Rows(torch::arange(100));
  const torch::Tensor constant = PredictConstant(known, kBaselineAttributes, 100);
  EXPECT_NEAR(constant[0][2].sum().item<double>(), 1, 1e-5);
  const torch::Tensor neighbors = PredictFromNeighbors(known, rows, kBaselineAttributes, kBaselineTargets);
  EXPECT_TRUE(torch::allclose(neighbors.select(1, 2).sum(1), torch::ones({100})));
  EXPECT_GT(neighbors.select(1, 2).min().item<double>(), 0);
  const torch::Tensor right = neighbors.select(1, 2).argmax(1) == rows.values.select(1, 2).to(torch::kInt64);
  EXPECT_GT(right.to(torch::kFloat32).mean().item<double>(), 0.95);
  EXPECT_LT((neighbors.select(1, 1).select(1, 0) - rows.values.select(1, 1)).square().mean().item<double>(), 0.2);
}

TEST(MetricsComparison, NamesWhatIsNotBeaten) {
  const auto with_rmse = [](double rmse) { return TabularMetrics{.nll = 0.0, .rmse = rmse}; };
  EXPECT_EQ((MetricsComparison{with_rmse(1), with_rmse(2), with_rmse(3), with_rmse(4)}.Warning()), "");
  EXPECT_EQ((MetricsComparison{with_rmse(3), with_rmse(2), with_rmse(3), with_rmse(4)}.Warning()),
            "the model is no better than the linear fit, the nearest neighbors by RMSE");
}

}  // namespace
}  // namespace haplospin
