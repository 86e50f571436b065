#include "tabular/validation.h"

#include <gtest/gtest.h>

#include "tabular/baselines.h"
#include "tabular/random_tables.h"
#include "tabular/target_metrics.h"

namespace haplospin {
namespace {

const Attributes kNumberAndClass = {{0}, {0}, {2}};
const torch::Tensor kTargets = torch::tensor({false, true, true});

// The first `network` of the truth is found by the network, and `smoothed` of it by the neighbors, beyond a fit of 0.
ValidationPredictions Draw(double network, double smoothed) {
  torch::manual_seed(1);
  EncodedTable rows{torch::randn({500, 3}), torch::zeros({500, 3}, torch::kBool)};
  rows.values.select(1, 2).copy_((rows.values.select(1, 1) > 0).to(torch::kFloat32));
  torch::Tensor linear = torch::zeros({500, 3, 2}), added = torch::zeros({500, 3, 2});
  linear.select(1, 2).fill_(0.5);
  added.select(1, 1).select(1, 0).copy_(rows.values.select(1, 1));
  added.select(1, 2).select(1, 1).copy_(rows.values.select(1, 2) - 0.5);
  added.select(1, 2).select(1, 0).copy_(0.5 - rows.values.select(1, 2));
  const torch::Tensor noise = 0.1 * torch::randn({500, 3, 1});
  return {rows,   linear + network * added + (network == 0 ? noise : torch::zeros_like(noise)),
          linear, linear,
          linear, smoothed * added};
}

TEST(Validation, TakesWhatHelps) {
  for (const bool of_network : {true, false}) {
    const ValidationPredictions drawn = Draw(of_network ? 0.9 : 0, of_network ? 0 : 0.9);
    const torch::Tensor gains = BestGains(drawn, kNumberAndClass, kTargets);
    for (const int64_t target : {1, 2}) {
      EXPECT_GE(gains[target][of_network ? 0 : 1].item<double>(), 0.8);
      EXPECT_LE(gains[target][of_network ? 1 : 0].item<double>(), 0.4);
    }
    const torch::Tensor combined = Combine(drawn.linear, drawn.network, drawn.smoothed, gains, kNumberAndClass);
    EXPECT_TRUE(torch::allclose(combined.select(1, 2).sum(1), torch::ones({500})));
    EXPECT_GE(combined.select(1, 2).min().item<double>(), 0);
  }
}

TEST(ErrorModel, KnowsWhereErrorsAreLarge) {
  torch::manual_seed(2);
  EncodedTable rows{torch::randn({800, 3}), torch::zeros({800, 3}, torch::kBool)};
  rows.values.select(1, 1).copy_(torch::randn({800}) * rows.values.select(1, 0).exp());
  rows.values.select(1, 2).fill_(1);
  ErrorModel errors(kNumberAndClass, kTargets);
  errors.Fit(rows, torch::zeros({800, 3, 2}));
  const torch::Tensor deviations = errors.Deviations(rows.Masked());
  EXPECT_TRUE((deviations.select(1, 2) == 1).all().item<bool>());
  const torch::Tensor ratio = (deviations.select(1, 1) / rows.values.select(1, 0).exp()).log();
  EXPECT_LT(ratio.abs().mean().item<double>(), 0.3);
}

TEST(ErrorModel, OfAFewErrorsIsTheirDeviation) {
  const EncodedTable rows{torch::randn({4, 3}), torch::zeros({4, 3}, torch::kBool)};
  ErrorModel errors(kNumberAndClass, kTargets);
  errors.Fit(rows, torch::zeros({4, 3, 2}));
  const torch::Tensor expected = rows.values.select(1, 1).square().mean().sqrt();
  EXPECT_TRUE(torch::allclose(errors.Deviations(rows.Masked()).select(1, 1), expected.expand({4})));
}

TEST(Baselines, NeighborsAndFrequencies) {
  torch::manual_seed(3);
  EncodedTable known{torch::randn({300, 3}), torch::zeros({300, 3}, torch::kBool)};
  known.values.select(1, 1).copy_(known.values.select(1, 0).sign());
  known.values.select(1, 2).copy_((known.values.select(1, 0) > 0).to(torch::kFloat32));
  const EncodedTable rows = known.Rows(torch::arange(100));
  const torch::Tensor constant = PredictConstant(known, kNumberAndClass, 100);
  EXPECT_NEAR(constant[0][2].sum().item<double>(), 1, 1e-5);
  const torch::Tensor neighbors = PredictFromNeighbors(known, rows, kNumberAndClass, kTargets);
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
