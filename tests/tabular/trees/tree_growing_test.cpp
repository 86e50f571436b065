#include "tabular/trees/tree_growing.h"

#include <gtest/gtest.h>

#include <cmath>

namespace haplospin {
namespace {

LossDerivatives OfSquaredError(const torch::Tensor& truth) {
  LossDerivatives derivatives;
  for (int64_t i = 0; i < truth.size(0); ++i) {
    derivatives.first.push_back(-truth[i].item<float>());
    derivatives.second.push_back(1);
  }
  return derivatives;
}

TEST(BinnedFeatures, CodesAreThresholdsBelowTheValue) {
  torch::manual_seed(1);
  const torch::Tensor features =
      torch::stack({torch::randn({500}), torch::randint(0, 4, {500}), torch::ones({500})}, 1);
  const BinnedFeatures binned(features);
  EXPECT_EQ(binned.thresholds(0).size(), 63u);
  EXPECT_EQ(binned.thresholds(1), (std::vector<float>{0.5, 1.5, 2.5}));
  EXPECT_TRUE(binned.thresholds(2).empty());
  for (int64_t j = 0; j < 3; ++j) {
    for (int64_t i = 0; i < 500; ++i) {
      int64_t below = 0;
      for (const float threshold : binned.thresholds(j)) below += threshold < features[i][j].item<float>() ? 1 : 0;
      ASSERT_EQ(binned.codes(j)[i], below);
    }
  }
}

// A step of one feature: the first split is there, and the values have the sides' signs.
TEST(GrowTree, FindsAStep) {
  torch::manual_seed(2);
  const torch::Tensor features = torch::rand({400, 1});
  const torch::Tensor truth = (features.select(1, 0) > 0.5).to(torch::kFloat32) * 2 - 1;
  RandomStream random(1);
  std::vector<uint32_t> leaves;
  const ObliviousTree tree = GrowTree(BinnedFeatures(features), OfSquaredError(truth), random, leaves);
  ASSERT_FALSE(tree.features.empty());
  EXPECT_NEAR(tree.thresholds[0], 0.5, 0.02);
  ASSERT_EQ(tree.values.size(), size_t{1} << tree.features.size());
  int wrong = 0;
  for (int64_t i = 0; i < 400; ++i) {
    wrong += tree.values[leaves[static_cast<size_t>(i)]] * truth[i].item<float>() > 0 ? 0 : 1;
  }
  EXPECT_LT(wrong, 8);
}

TEST(GrowTree, OfNothingToCompareIsALeaf) {
  RandomStream random(1);
  std::vector<uint32_t> leaves;
  const ObliviousTree tree =
      GrowTree(BinnedFeatures(torch::ones({50, 2})), OfSquaredError(torch::ones({50})), random, leaves);
  EXPECT_TRUE(tree.features.empty());
  ASSERT_EQ(tree.values.size(), 1u);
  EXPECT_NEAR(tree.values[0], 1, 0.1);
}

}  // namespace
}  // namespace haplospin
