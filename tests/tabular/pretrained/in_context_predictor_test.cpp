#include "tabular/pretrained/in_context_predictor.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <set>

#include "tabular/pretrained/label_codes.h"

namespace haplospin {
namespace {

InContextNetwork UntrainedNetwork() {
  torch::manual_seed(5);
  InContextNetwork network(InContextOptions{.width = 16, .depth = 2, .heads = 2, .inducing_points = 4});
  network->eval();
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& weight : network->parameters()) {
    if (weight.abs().sum().item<double>() == 0) weight.normal_(0, 0.2);  // the last layer begins with 0
  }
  return network;
}

// Two numbers, a category, a number to predict and a class to predict, with missing features.
struct TwoTargetTable {
  EncodedTable rows;
  Attributes attributes;
  torch::Tensor is_target = torch::tensor({false, false, false, true, true});
};

TwoTargetTable MakeTwoTargetTable(int64_t n, int64_t classes) {
  TwoTargetTable table;
  table.rows = {torch::randn({n, 5}), torch::rand({n, 5}) < 0.1};
  table.attributes = {{.classes = 0}, {.classes = 0}, {.classes = 4}, {.classes = 0}, {.classes = classes}};
  table.rows.values.select(1, 2).copy_(torch::randint(4, {n}));
  table.rows.values.select(1, 3).mul_(3).add_(100);
  table.rows.values.select(1, 4).copy_(torch::arange(n) % classes);
  table.rows.missing.narrow(1, 3, 2).fill_(false);
  table.rows.values.masked_fill_(table.rows.missing, 0);
  return table;
}

InContextPredictor PredictorOf(const TwoTargetTable& table, uint64_t seed = 1) {
  return {UntrainedNetwork(),
          table.rows,
          table.attributes,
          table.is_target,
          {.views = 2, .seed = seed, .quantiles = {0.1, 0.9}}};
}

TEST(InContextPredictor, GivesProbabilitiesAndNumbersInTheTablesUnits) {
  torch::manual_seed(1);
  for (const int64_t classes : {2, 7, 25}) {
    const TwoTargetTable table = MakeTwoTargetTable(60, classes);
    const auto [predictions, deviations, quantiles] = PredictorOf(table).Predict(table.rows);
    ASSERT_EQ(predictions.sizes(), (torch::IntArrayRef{60, 5, std::max<int64_t>(classes, 4)}));
    const torch::Tensor probabilities = predictions.select(1, 4).narrow(1, 0, classes);
    EXPECT_TRUE(torch::allclose(probabilities.sum(1), torch::ones({60}), 1e-4, 1e-4));
    EXPECT_TRUE((probabilities >= 0).all().item<bool>());
    EXPECT_TRUE(((predictions.select(1, 3).select(1, 0) - 100).abs() < 33).all().item<bool>());
    EXPECT_TRUE((deviations.select(1, 3) > 0).all().item<bool>());
    EXPECT_TRUE((quantiles.select(1, 3).select(1, 0) < quantiles.select(1, 3).select(1, 1)).all().item<bool>());
    EXPECT_TRUE((predictions.narrow(1, 0, 3) == 0).all().item<bool>());
  }
}

TEST(InContextPredictor, DoesNotUseTheTargetsOfRowsToPredict) {
  torch::manual_seed(2);
  const TwoTargetTable table = MakeTwoTargetTable(40, 3);
  TwoTargetTable hidden = table;
  hidden.rows.missing = table.rows.missing.clone();
  hidden.rows.missing.narrow(1, 3, 2).fill_(true);
  const InContextPredictor predictor = PredictorOf(table);
  EXPECT_TRUE(torch::equal(predictor.Predict(table.rows).values, predictor.Predict(hidden.rows).values));
}

TEST(InContextPredictor, RowsOfTheContextWithoutATargetAreLeftOut) {
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

TEST(InContextPredictor, TheSameSeedGivesTheSame) {
  torch::manual_seed(4);
  const TwoTargetTable table = MakeTwoTargetTable(40, 3);
  EXPECT_TRUE(
      torch::equal(PredictorOf(table).Predict(table.rows).values, PredictorOf(table).Predict(table.rows).values));
  EXPECT_FALSE(
      torch::equal(PredictorOf(table).Predict(table.rows).values, PredictorOf(table, 2).Predict(table.rows).values));
}

TEST(LabelCodes, FewClassesAreInRandomOrderAndManyAreToldApart) {
  RandomStream random(1);
  const std::vector<int64_t> few = DrawLabelCode(7, 10, random);
  EXPECT_EQ(std::set<int64_t>(few.begin(), few.end()).size(), 7u);
  for (const int64_t classes : {11, 60, 1000}) {
    std::vector<std::vector<int64_t>> words(static_cast<size_t>(classes));
    for (int64_t view = 0; view < CodeLength(classes, 10); ++view) {
      const std::vector<int64_t> code = DrawLabelCode(classes, 10, random);
      for (size_t c = 0; c < code.size(); ++c) {
        EXPECT_TRUE(code[c] >= 0 && code[c] < 10);
        words[c].push_back(code[c]);
      }
    }
    EXPECT_EQ(std::ssize(std::set(words.begin(), words.end())), classes);
  }
}

}  // namespace
}  // namespace haplospin
