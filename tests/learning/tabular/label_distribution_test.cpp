#include "learning/tabular/label_distribution.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace haplospin {
namespace {

TEST(LabelDistribution, OfNumbersHasTheDeviationOfTheErrors) {
  torch::manual_seed(1);
  const torch::Tensor means = torch::randn({2000, 1}) * 0.5;
  for (const double deviation : {0.2, 0.8}) {
    const torch::Tensor errors = deviation * torch::randn({2000, 1});
    const LabelDistribution distribution(means, means + errors, 0);
    EXPECT_NEAR(distribution.deviation(), deviation, 0.05 * deviation);
    EXPECT_NEAR(distribution.Quantile(0.5), 0, 0.05 * deviation);
    const torch::Tensor inside = (errors > distribution.Quantile(0.05)) & (errors < distribution.Quantile(0.95));
    EXPECT_NEAR(inside.to(torch::kFloat64).mean().item<double>(), 0.9, 0.05);
  }
}

TEST(LabelDistribution, QuantilesOfNumbersAreThoseOfATDistribution) {
  torch::manual_seed(4);
  const torch::Tensor means = torch::zeros({20000, 1});
  torch::Tensor squares = torch::zeros({20000, 1});
  for (int i = 0; i < 4; ++i) squares += torch::randn({20000, 1}).square();
  const LabelDistribution distribution(means, torch::randn({20000, 1}) / (squares / 4).sqrt(), 0);
  EXPECT_NEAR(distribution.Quantile(0.95), 2.132, 0.06);  // the table of Student's distribution
  EXPECT_NEAR(distribution.Quantile(0.01), -3.747, 0.12);
}

TEST(LabelDistribution, QuantilesOfNormalErrorsAreNearlyNormal) {
  torch::manual_seed(5);
  const torch::Tensor means = torch::zeros({20000, 1});
  const LabelDistribution distribution(means, torch::randn({20000, 1}), 0);
  EXPECT_NEAR(distribution.Quantile(0.95), 1.645, 0.05);
  EXPECT_NEAR(distribution.Quantile(0.01), -2.326, 0.1);
}

// Errors of two kinds of rows, as of cheap and dear diamonds: no t distribution has their 90 % interval.
TEST(LabelDistribution, QuantilesOfManyErrorsAreTheirs) {
  torch::manual_seed(6);
  const torch::Tensor means = torch::zeros({20000, 1});
  const auto draw = [] {
    const torch::Tensor errors = torch::randn({20000, 1});
    return torch::where(torch::rand({20000, 1}) < 0.3, 10 * errors.square(), 0.1 * errors);
  };
  const LabelDistribution distribution(means, draw(), 0);
  const torch::Tensor errors = draw();
  EXPECT_NEAR((errors < distribution.Quantile(0.05)).to(torch::kFloat64).mean().item<double>(), 0.05, 0.01);
  EXPECT_NEAR((errors < distribution.Quantile(0.95)).to(torch::kFloat64).mean().item<double>(), 0.95, 0.01);
}

TEST(LabelDistribution, OfClassesIsAsSureAsItIsRight) {
  torch::manual_seed(2);
  const torch::Tensor labels = torch::randint(2, {1000});
  const torch::Tensor targets = LabelTargets(labels, 2);
  const torch::Tensor right = 0.3 + 0.4 * targets;
  const torch::Tensor wrong = torch::rand({1000, 1}) < 0.5;
  const double sure = LabelDistribution(right, targets, 2).Probabilities(right).max().item<double>();
  const torch::Tensor mixed = torch::where(wrong, 1 - right, right);
  const double unsure = LabelDistribution(mixed, targets, 2).Probabilities(mixed).max().item<double>();
  EXPECT_GT(sure, 0.85);
  EXPECT_LT(unsure, 0.7);
}

TEST(LabelDistribution, ProbabilitiesAddUpToOne) {
  torch::manual_seed(3);
  const torch::Tensor targets = LabelTargets(torch::randint(3, {50}), 3), means = torch::randn_like(targets);
  const torch::Tensor sums = LabelDistribution(means, targets, 3).Probabilities(means).sum(1);
  EXPECT_TRUE(torch::allclose(sums, torch::ones({50})));
}

}  // namespace
}  // namespace haplospin
