#include "learning/models/npt.h"

#include <gtest/gtest.h>

#include "learning/models/random_table.h"

namespace haplospin {
namespace {

Npt MakeNpt(TableModelOptions options = {}) {
  torch::manual_seed(3);
  options.attributes = kFourAttributes;
  options.width = 8;
  options.depth = 4;
  options.heads = 2;
  Npt npt(options);
  npt->to(torch::kFloat64);
  return npt;
}

TEST(Npt, PermutingTheRowsPermutesThePredictions) {
  Npt npt = MakeNpt();
  const MaskedTable table = RandomTable(17, kFourAttributes);
  const torch::Tensor order = torch::randperm(17);
  EXPECT_TRUE(torch::allclose(npt(TakeRows(table, order)), npt(table).index_select(0, order), 1e-8, 1e-8));
}

TEST(Npt, RowsSeeEachOther) {
  Npt npt = MakeNpt();
  MaskedTable table = Unmasked(RandomValues(5, kFourAttributes));
  const torch::Tensor before = npt(table);
  table.values = table.values.clone();
  table.values[4][1] += 1.0;
  EXPECT_FALSE(torch::allclose(npt(table)[0], before[0]));
}

TEST(Npt, MaskedValuesDoNotMatter) {
  Npt npt = MakeNpt();
  MaskedTable table = Unmasked(RandomValues(5, kFourAttributes));
  Hide(table, torch::tensor({false, true, true, false}).expand({5, 4}));
  const torch::Tensor before = npt(table);
  table.values = torch::where(table.masked, torch::ones_like(table.values), table.values);
  EXPECT_TRUE(torch::equal(npt(table), before));
}

TEST(Npt, DropoutActsInTrainingOnly) {
  Npt npt = MakeNpt({.attention_dropout = 0.3, .hidden_dropout = 0.3});
  const MaskedTable table = RandomTable(6, kFourAttributes);
  EXPECT_FALSE(torch::equal(npt(table), npt(table)));
  npt->eval();
  EXPECT_TRUE(torch::equal(npt(table), npt(table)));
}

double NptAccuracyWithoutTraining(bool smoother) {
  const LookUp table;
  Npt npt(table.SmallModel<TableModelOptions>(smoother));
  npt->eval();
  const auto join = [](const torch::Tensor& a, const torch::Tensor& b) { return torch::cat({a, b}); };
  const MaskedTable all{join(table.context.values, table.query.values), join(table.context.masked, table.query.masked),
                        join(table.context.in_loss, table.query.in_loss)};
  return table.Accuracy(npt(all).narrow(0, table.kContext, table.kQuery));
}

TEST(Npt, StartsAsASmootherThatLooksUpAlikeRows) {
  EXPECT_GT(NptAccuracyWithoutTraining(true), 0.9);
  EXPECT_LT(NptAccuracyWithoutTraining(false), 0.8);
}

}  // namespace
}  // namespace haplospin
