#include "tabular/label_distribution.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "tabular/number_bins.h"

namespace haplospin {
namespace {

TEST(LabelDistribution, OfNumbersHasTheDeviationOfTheErrors) {
  torch::manual_seed(1);
  const torch::Tensor means = torch::randn({2000, 1}) * 0.5;
  for (const double deviation : {0.2, 0.8}) {
    const torch::Tensor targets = means + deviation * torch::randn({2000, 1});
    const torch::Tensor probabilities = LabelDistribution(means, targets, 0).Probabilities(means);
    EXPECT_TRUE(torch::allclose(BinMean(probabilities), means.squeeze(1), 0.05, 0.05));
    const torch::Tensor low = BinQuantile(probabilities, 0.05), high = BinQuantile(probabilities, 0.95);
    const torch::Tensor inside = (targets.squeeze(1) > low) & (targets.squeeze(1) < high);
    EXPECT_GT(inside.to(torch::kFloat64).mean().item<double>(), 0.88);
    EXPECT_LT(inside.to(torch::kFloat64).mean().item<double>(), 0.99);
  }
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
  for (const int64_t classes : {0, 3}) {
    const torch::Tensor labels = classes == 0 ? torch::randn({50}) : torch::randint(3, {50}).to(torch::kFloat32);
    const torch::Tensor targets = LabelTargets(labels, classes), means = torch::randn_like(targets);
    const torch::Tensor sums = LabelDistribution(means, targets, classes).Probabilities(means).sum(1);
    EXPECT_TRUE(torch::allclose(sums, torch::ones({50})));
  }
}

}  // namespace
}  // namespace haplospin
