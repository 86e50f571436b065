#include "tabular/trees/boosted_trees.h"

#include <gtest/gtest.h>

#include "haplospin/errors.h"
#include "tabular/linear/linear_model.h"

namespace haplospin {
namespace {

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
