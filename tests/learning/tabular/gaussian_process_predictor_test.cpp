#include "learning/tabular/gaussian_process_predictor.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace haplospin {
namespace {

// Two numbers, a category, a number to predict and a class to predict, with missing features.
struct TwoTargetTable {
  EncodedTable rows;
  Attributes attributes;
  torch::Tensor is_target = torch::tensor({false, false, false, true, true});
};

// The number is 100 plus three times the first column; the class is a function of the second.
TwoTargetTable MakeTwoTargetTable(int64_t n, int64_t classes) {
  TwoTargetTable table;
  table.rows = {torch::randn({n, 5}), torch::rand({n, 5}) < 0.05};
  table.attributes = {{.classes = 0}, {.classes = 0}, {.classes = 4}, {.classes = 0}, {.classes = classes}};
  table.rows.values.select(1, 1).copy_(torch::arange(n) % classes);
  table.rows.values.select(1, 2).copy_(torch::randint(4, {n}));
  table.rows.values.select(1, 3).copy_(table.rows.values.select(1, 0) * 3 + 100);
  table.rows.values.select(1, 4).copy_(torch::arange(n) % classes);
  table.rows.missing.narrow(1, 3, 2).fill_(false);
  table.rows.values.masked_fill_(table.rows.missing, 0);
  return table;
}

GaussianProcessPredictor PredictorOf(const TwoTargetTable& table, uint64_t seed = 1) {
  return {table.rows, table.attributes, table.is_target, seed, /*with_trees=*/true, {0.1, 0.9}};
}

TEST(GaussianProcessPredictor, GivesProbabilitiesAndNumbersInTheTablesUnits) {
  torch::manual_seed(1);
  for (const int64_t classes : {2, 7, 25}) {
    const TwoTargetTable table = MakeTwoTargetTable(150, classes);
    const auto [predictions, deviations, quantiles] = PredictorOf(table).Predict(table.rows);
    ASSERT_EQ(predictions.sizes(), (torch::IntArrayRef{150, 5, std::max<int64_t>(classes, 4)}));
    const torch::Tensor probabilities = predictions.select(1, 4).narrow(1, 0, classes);
    EXPECT_TRUE(torch::allclose(probabilities.sum(1), torch::ones({150}), 1e-4, 1e-4));
    EXPECT_TRUE((probabilities >= 0).all().item<bool>());
    const torch::Tensor is_right = probabilities.argmax(1) == table.rows.values.select(1, 4);
    EXPECT_GT(is_right.to(torch::kFloat64).mean().item<double>(), classes == 25 ? 0.5 : 0.85) << classes;
    const torch::Tensor error = predictions.select(1, 3).select(1, 0) - table.rows.values.select(1, 3);
    EXPECT_LT(error.square().mean().sqrt().item<double>(), 1.5);
    EXPECT_TRUE((deviations.select(1, 3) > 0).all().item<bool>());
    EXPECT_TRUE((quantiles.select(1, 3).select(1, 0) < quantiles.select(1, 3).select(1, 1)).all().item<bool>());
    EXPECT_TRUE((predictions.narrow(1, 0, 3) == 0).all().item<bool>());
  }
}

// A display of progress is told of each regression, and of each round of trees.
TEST(GaussianProcessPredictor, TellsOfItsSteps) {
  torch::manual_seed(5);
  const TwoTargetTable table = MakeTwoTargetTable(60, 3);
  const auto steps = [&](bool with_trees) {
    int count = 0;
    const GaussianProcessPredictor predictor(table.rows, table.attributes, table.is_target, /*seed=*/1, with_trees, {},
                                             [&] { ++count; });
    return count;
  };
  EXPECT_GE(steps(false), 4) << "of a number and of three classes";
  EXPECT_GT(steps(true), steps(false) + 100) << "trees have hundreds of rounds";
}

TEST(GaussianProcessPredictor, DoesNotUseTheTargetsOfRowsToPredict) {
  torch::manual_seed(2);
  const TwoTargetTable table = MakeTwoTargetTable(40, 3);
  TwoTargetTable hidden = table;
  hidden.rows.missing = table.rows.missing.clone();
  hidden.rows.missing.narrow(1, 3, 2).fill_(true);
  const GaussianProcessPredictor predictor = PredictorOf(table);
  EXPECT_TRUE(torch::equal(predictor.Predict(table.rows).values, predictor.Predict(hidden.rows).values));
}

TEST(GaussianProcessPredictor, KnownRowsWithoutATargetAreLeftOut) {
  torch::manual_seed(3);
  TwoTargetTable table = MakeTwoTargetTable(40, 3);
  table.rows.missing[7][3] = true;
  table.rows.missing[7][4] = true;
  std::vector<int64_t> others;
  for (int64_t i = 0; i < 40; ++i) {
    if (i != 7) others.push_back(i);
  }
  TwoTargetTable without = table;
  without.rows = table.rows.Rows(torch::tensor(others, torch::kInt64));
  EXPECT_TRUE(torch::allclose(PredictorOf(table).Predict(table.rows).values,
                              PredictorOf(without).Predict(table.rows).values, 1e-4, 1e-4));
}

TEST(GaussianProcessPredictor, TheSameSeedGivesTheSame) {
  torch::manual_seed(4);
  const TwoTargetTable table = MakeTwoTargetTable(60, 25);
  const torch::Tensor values = PredictorOf(table).Predict(table.rows).values;
  EXPECT_TRUE(torch::equal(values, PredictorOf(table).Predict(table.rows).values));
  EXPECT_FALSE(torch::equal(values, PredictorOf(table, 2).Predict(table.rows).values));
}

}  // namespace
}  // namespace haplospin
