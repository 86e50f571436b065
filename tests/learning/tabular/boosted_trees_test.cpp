#include "learning/tabular/boosted_trees.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <cmath>

#include "haplospin/errors.h"
#include "learning/tabular/linear_model.h"

namespace haplospin {
namespace {

LossDerivatives SquaredErrorDerivatives(const torch::Tensor& truth) {
  LossDerivatives derivatives;
  for (int64_t i = 0; i < truth.size(0); ++i) {
    derivatives.values.push_back(-truth[i].item<float>());
    derivatives.values.push_back(1);
  }
  return derivatives;
}

BinnedFeatures Binned(const torch::Tensor& features) {
  const torch::Tensor columns = features.t().contiguous();
  return {columns.data_ptr<float>(), features.size(0), features.size(1)};
}

TEST(BinnedFeatures, CodesAreThresholdsBelowTheValue) {
  torch::manual_seed(1);
  const torch::Tensor features =
      torch::stack({torch::randn({500}), torch::randint(0, 4, {500}), torch::ones({500})}, 1);
  const BinnedFeatures binned = Binned(features);
  EXPECT_EQ(binned.thresholds(0).size(), 63u);
  EXPECT_EQ(binned.thresholds(1), (std::vector<float>{0.5, 1.5, 2.5}));
  EXPECT_TRUE(binned.thresholds(2).empty());
  for (int64_t j = 0; j < 3; ++j) {
    for (int64_t i = 0; i < 500; ++i) {
      int64_t below = 0;
      for (const float threshold : binned.thresholds(j)) below += threshold < features[i][j].item<float>() ? 1 : 0;
      ASSERT_EQ(binned.row(i)[j], below);
    }
  }
}

// A step of the last feature: the first split is there, and the values have the sides' signs. The rows of a small node
// are summed in another way than those of a large one.
TEST(GrowTree, FindsAStep) {
  torch::manual_seed(2);
  for (const int64_t rows : {50, 400}) {
    const torch::Tensor features = torch::rand({rows, 3});
    const torch::Tensor truth = (features.select(1, 2) > 0.5).to(torch::kFloat32) * 2 - 1;
    RandomStream random(1);
    std::vector<uint32_t> leaves;
    const DecisionTree tree = GrowTree(Binned(features), SquaredErrorDerivatives(truth), 6, 1, random, leaves);
    EXPECT_EQ(tree.compared[0], 2);
    EXPECT_NEAR(tree.thresholds[0], 0.5, 8.0 / static_cast<double>(rows));
    ASSERT_EQ(std::ssize(tree.values), TreeLeaves(6));
    int64_t wrong = 0;
    for (int64_t i = 0; i < rows; ++i) {
      wrong += tree.values[leaves[static_cast<size_t>(i)]] * truth[i].item<float>() > 0 ? 0 : 1;
    }
    EXPECT_LT(wrong, rows / 20);
  }
}

// How many of 40 trees first compare the only feature that tells anything.
int TreesThatCompareTheFirst(int64_t features, double feature_share) {
  torch::manual_seed(3);
  const torch::Tensor rows = torch::rand({200, features});
  const BinnedFeatures binned = Binned(rows);
  const LossDerivatives derivatives = SquaredErrorDerivatives((rows.select(1, 0) > 0.5).to(torch::kFloat32) * 2 - 1);
  RandomStream random(1);
  std::vector<uint32_t> leaves;
  int found = 0;
  for (int tree = 0; tree < 40; ++tree) {
    found += GrowTree(binned, derivatives, 1, feature_share, random, leaves).compared[0] == 0 ? 1 : 0;
  }
  return found;
}

TEST(GrowTree, ANodeComparesARandomShareOfTheFeatures) {
  EXPECT_EQ(TreesThatCompareTheFirst(4, 1), 40);
  const int found = TreesThatCompareTheFirst(4, 0.5);
  EXPECT_GT(found, 8);
  EXPECT_LT(found, 32);
}

TEST(GrowTree, ComparesAPartOfVeryManyFeatures) {
  const int found = TreesThatCompareTheFirst(256, 1);
  EXPECT_GT(found, 2);
  EXPECT_LT(found, 20);
}

TEST(GrowTree, OfNothingToCompareIsALeaf) {
  RandomStream random(1);
  std::vector<uint32_t> leaves;
  const DecisionTree tree = GrowTree(Binned(torch::ones({50, 2})), SquaredErrorDerivatives(torch::ones({50})), 6,
                                     kFeatureShare, random, leaves);
  EXPECT_EQ(leaves, std::vector<uint32_t>(50, 0));
  EXPECT_NEAR(tree.values[0], 1, 0.1);
}

// Nodes of a level compare different features: the first one's sides depend on the second and on the third.
TEST(GrowTree, SplitsEachNodeByItself) {
  torch::manual_seed(3);
  const torch::Tensor features = torch::rand({2000, 3});
  const torch::Tensor is_high = features > 0.5;
  const torch::Tensor truth =
      torch::where(is_high.select(1, 0), 4 + is_high.select(1, 1).to(torch::kFloat32), 1.5 * is_high.select(1, 2));
  RandomStream random(1);
  std::vector<uint32_t> leaves;
  const DecisionTree tree = GrowTree(Binned(features), SquaredErrorDerivatives(truth), 6, 1, random, leaves);
  EXPECT_EQ((std::vector<int64_t>{tree.compared.begin(), tree.compared.begin() + 3}), (std::vector<int64_t>{0, 2, 1}));
  double worst = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const double value = tree.values[leaves[static_cast<size_t>(i)]];
    if ((features[i] - 0.5).abs().min().item<double>() < 0.02) continue;  // between two thresholds
    worst = std::max(worst, std::abs(value - truth[i].item<double>()));
  }
  EXPECT_LT(worst, 0.2);
}

const Attributes kBoostedAttributes = {{0}, {0}, {3}, {0}, {2}};
const torch::Tensor kBoostedTargets = torch::tensor({false, false, false, true, true});

// The number is a step of the first feature in one category and of the second in the others; the class is its sign.
EncodedTable StepTable(int64_t rows, int64_t seed) {
  torch::manual_seed(seed);
  EncodedTable table{torch::randn({rows, 5}), torch::zeros({rows, 5}, torch::kBool)};
  table.values.select(1, 2).copy_(torch::randint(0, 3, {rows}));
  const torch::Tensor step =
      torch::where(table.values.select(1, 2) == 1, table.values.select(1, 0), table.values.select(1, 1)) > 0.3;
  table.values.select(1, 3).copy_(step.to(torch::kFloat32) * 2 - 1 + 0.1 * torch::randn({rows}));
  table.values.select(1, 4).copy_(step.to(torch::kFloat32));
  return table;
}

BoostedTrees Boosted(uint64_t seed = 1) {
  BoostedTrees trees(kBoostedAttributes, kBoostedTargets);
  trees.Fit(StepTable(400, 1), StepTable(200, 2), seed);
  return trees;
}

TEST(BoostedTrees, LearnWhatALinearFitCannot) {
  LinearModel fit(kBoostedAttributes, kBoostedTargets);
  fit.Fit(StepTable(400, 1));
  const EncodedTable test = StepTable(1500, 3);
  const torch::Tensor linear = fit.forward(test.Masked()), trees = Boosted().forward(test.Masked());
  const auto squared = [&](const torch::Tensor& predicted) {
    return (predicted.select(1, 3).select(1, 0) - test.values.select(1, 3)).square().mean().item<double>();
  };
  EXPECT_LT(squared(trees), 0.4 * squared(linear));
  const auto right = [&](const torch::Tensor& predicted) {
    return (predicted.select(1, 4).argmax(1) == test.values.select(1, 4)).to(torch::kFloat32).mean().item<double>();
  };
  EXPECT_GT(right(trees), 0.93);
  EXPECT_GT(right(trees), right(linear) + 0.05);
}

// With nothing to compare the means stay.
TEST(BoostedTrees, BeginFromTheMeans) {
  EncodedTable table = StepTable(300, 5);
  table.values.narrow(1, 0, 3).zero_();
  BoostedTrees trees(kBoostedAttributes, kBoostedTargets);
  trees.Fit(table, table, 1);
  const torch::Tensor predicted = trees.forward(table.Masked());
  EXPECT_NEAR(predicted[0][3][0].item<double>(), table.values.select(1, 3).mean().item<double>(), 0.01);
  EXPECT_NEAR(predicted[0][4].narrow(0, 0, 2).softmax(0)[1].item<double>(),
              table.values.select(1, 4).mean().item<double>(), 0.01);
  EXPECT_LT(predicted[0][4][2].item<double>(), -1e29);
}

TEST(BoostedTrees, TheSameSeedGivesTheSameTreesWithMoreThreads) {
  const MaskedTable rows = StepTable(50, 4).Masked();
  const torch::Tensor before = Boosted().forward(rows);
  const int threads = torch::get_num_threads();
  torch::set_num_threads(threads + 1);
  EXPECT_TRUE(torch::equal(Boosted().forward(rows), before));
  torch::set_num_threads(threads);
  EXPECT_FALSE(torch::equal(Boosted(2).forward(rows), before));
}

TEST(BoostedTrees, WeightsOfAnotherTableAreRefused) {
  const BoostedTrees trees = Boosted();
  EXPECT_GT(trees.trees(), 20);
  EXPECT_NO_THROW(trees.Check("a.model"));
  for (auto& item : trees.named_buffers()) {
    if (item.key() == "compared") item.value()[0][0] = 8;
  }
  EXPECT_THROW(trees.Check("a.model"), InputError);
}

}  // namespace
}  // namespace haplospin
