#include "learning/tabular/tabular_metrics.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>

namespace haplospin {
namespace {

TEST(TabularMetrics, AreaUnderRocCountsPairs) {
  torch::manual_seed(1);
  const torch::Tensor scores = torch::randint(6, {40}, torch::kFloat64);  // with ties
  const torch::Tensor positive = torch::rand({40}) < 0.4;
  double wins = 0, pairs = 0;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 40; ++j) {
      if (!positive[i].item<bool>() || positive[j].item<bool>()) continue;
      const double difference = (scores[i] - scores[j]).item<double>();
      wins += difference > 0 ? 1 : difference == 0 ? 0.5 : 0;
      pairs += 1;
    }
  }
  EXPECT_NEAR(*AreaUnderRoc(scores, positive), wins / pairs, 1e-12);
  EXPECT_FALSE(AreaUnderRoc(scores, torch::zeros({40}, torch::kBool)).has_value());
}

TEST(TabularMetrics, Classes) {
  const torch::Tensor probabilities =
      torch::tensor({{0.7, 0.2, 0.1}, {0.1, 0.5, 0.4}, {0.3, 0.3, 0.4}}, torch::kFloat64);
  const TabularMetrics metrics = ClassMetrics(probabilities, torch::tensor({0, 2, 2}, torch::kInt64));
  EXPECT_DOUBLE_EQ(*metrics.accuracy, 2.0 / 3);
  EXPECT_NEAR(*metrics.nll, -(std::log(0.7) + 2 * std::log(0.4)) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(*metrics.auroc, 1.0);  // classes 0 and 2; no row is of class 1
  EXPECT_FALSE(metrics.rmse.has_value());
}

TEST(TabularMetrics, Numbers) {
  const TabularMetrics metrics =
      NumberMetrics(torch::tensor({1.0, 2.0}), torch::tensor({1.0, 5.0}), torch::tensor({2.0, 2.0}));
  EXPECT_NEAR(*metrics.rmse, std::sqrt(4.5), 1e-12);
  const auto normal = [](double x) { return 0.5 * std::log(2 * M_PI * 4) + x * x / 8; };
  EXPECT_NEAR(*metrics.nll, (normal(0) + normal(3)) / 2, 1e-12);
}

TEST(TabularMetrics, StandardErrors) {
  const MeanAndError summary = Summarize({1.0, 2.0, 6.0});
  EXPECT_DOUBLE_EQ(summary.mean, 3.0);
  EXPECT_NEAR(summary.standard_error, std::sqrt(7.0 / 3), 1e-12);
  EXPECT_EQ(Summarize({4.0}).standard_error, 0.0);
}

TEST(ClassMetrics, RecallF1AndCalibration) {
  const torch::Tensor probabilities = torch::tensor({{0.95, 0.05}, {0.85, 0.15}, {0.75, 0.25}, {0.35, 0.65}});
  const TabularMetrics metrics = ClassMetrics(probabilities, torch::tensor({0, 0, 1, 1}, torch::kInt64));
  EXPECT_NEAR(*metrics.recall, (1.0 + 0.5) / 2, 1e-9);
  EXPECT_NEAR(*metrics.f1, (2 * 2 / 5.0 + 2 * 1 / 3.0) / 2, 1e-9);
  EXPECT_NEAR(*metrics.ece, (0.05 + 0.15 + 0.75 + 0.35) / 4, 1e-6);
}

TEST(ComputeRoc, GoesFromNoneToAll) {
  const RocCurve curve =
      ComputeRoc(torch::tensor({0.9, 0.8, 0.8, 0.1}, torch::kFloat64), torch::tensor({true, true, false, false}));
  EXPECT_EQ(curve.true_positive, (std::vector<double>{0, 0.5, 1, 1}));
  EXPECT_EQ(curve.false_positive, (std::vector<double>{0, 0, 0.5, 1}));
}

}  // namespace
}  // namespace haplospin
