#include "learning/tabular/crossfit_trees.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "learning/tabular/label_distribution.h"

namespace haplospin {
namespace {

EncodedTable CompleteRows(const torch::Tensor& values) { return {values, torch::zeros_like(values, torch::kBool)}; }

const Attributes kTwoNumbers(2);

// A step of the first column, and noise.
torch::Tensor Steps(const torch::Tensor& x) {
  return (x.select(1, 0) > 0.3).to(torch::kFloat32) * 2 - 1 + 0.1 * torch::randn({x.size(0)});
}

double MeanOfSquares(const torch::Tensor& errors) { return errors.square().mean().item<double>(); }

TEST(CrossfitTrees, HaveTheShareThatTheyDeserve) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({500, 2}), steps = Steps(x);
  const EncodedTable known = CompleteRows(x.narrow(0, 0, 300)), others = CompleteRows(x.narrow(0, 300, 200));
  for (const int64_t classes : {0, 2}) {
    const torch::Tensor labels = classes == 0 ? steps : (steps > 0).to(torch::kFloat32);
    const torch::Tensor targets = LabelTargets(labels, classes), nothing = torch::full_like(targets, classes / 4.0);
    const torch::Tensor known_targets = targets.narrow(0, 0, 300), other_targets = targets.narrow(0, 300, 200);
    const auto trees_beside = [&](const torch::Tensor& predictions) {
      return CrossfitTrees(known, kTwoNumbers, labels.narrow(0, 0, 300), classes, torch::arange(300), predictions, 1);
    };
    const CrossfitTrees instead = trees_beside(nothing.narrow(0, 0, 300));
    EXPECT_LT(MeanOfSquares(instead.Combine(others, nothing.narrow(0, 300, 200)) - other_targets), 0.1);
    EXPECT_LT(MeanOfSquares(instead.compared_predictions() - known_targets), 0.1);
    const CrossfitTrees none = trees_beside(known_targets);
    EXPECT_TRUE(torch::equal(none.Combine(others, other_targets), other_targets));
    EXPECT_TRUE(torch::equal(none.compared_predictions(), known_targets));
  }
}

TEST(CrossfitTrees, HaveLittleShareInNoise) {
  for (const int seed : {1, 2, 3, 4}) {
    torch::manual_seed(seed);
    const EncodedTable rows = CompleteRows(torch::randn({200, 2}));
    const torch::Tensor nothing = torch::zeros({200, 1});
    const CrossfitTrees trees(rows, kTwoNumbers, torch::randn({200}), 0, torch::arange(200), nothing, 1);
    EXPECT_LT(MeanOfSquares(trees.Combine(rows, nothing)), 0.1);
  }
}

TEST(CrossfitTrees, AddNothingToFewRows) {
  torch::manual_seed(2);
  const torch::Tensor x = torch::randn({12, 2}), predictions = torch::randn({12, 1});
  const CrossfitTrees trees(CompleteRows(x), kTwoNumbers, Steps(x), 0, torch::arange(12), predictions, 1);
  EXPECT_TRUE(torch::equal(trees.Combine(CompleteRows(x), predictions), predictions));
}

TEST(CrossfitTrees, TheSameSeedGivesTheSame) {
  torch::manual_seed(3);
  const torch::Tensor x = torch::randn({200, 2}), steps = Steps(x);
  const auto predictions = [&](uint64_t seed) {
    return CrossfitTrees(CompleteRows(x), kTwoNumbers, steps, 0, torch::arange(200), torch::zeros({200, 1}), seed)
        .compared_predictions();
  };
  EXPECT_TRUE(torch::equal(predictions(5), predictions(5)));
  EXPECT_FALSE(torch::equal(predictions(5), predictions(6)));
}

}  // namespace
}  // namespace haplospin
