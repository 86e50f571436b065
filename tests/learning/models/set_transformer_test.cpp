#include "learning/models/set_transformer.h"

#include <gtest/gtest.h>

#include "learning/models/random_table.h"

namespace haplospin {
namespace {

SetTransformer MakeSetTransformer() {
  torch::manual_seed(4);
  SetTransformer model(
      SetTransformerOptions{{.attributes = kFourAttributes, .width = 8, .depth = 4, .heads = 2}, 3, 2});
  model->to(torch::kFloat64);
  return model;
}

TEST(SetTransformer, PermutingTheRowsPermutesThePredictions) {
  SetTransformer model = MakeSetTransformer();
  const MaskedTable table = RandomTable(17, kFourAttributes);
  const torch::Tensor order = torch::randperm(17);
  EXPECT_TRUE(torch::allclose(model(TakeRows(table, order)), model(table).index_select(0, order), 1e-8, 1e-8));
}

TEST(SetTransformer, RowsSeeEachOther) {
  SetTransformer model = MakeSetTransformer();
  MaskedTable table = Unmasked(RandomValues(5, kFourAttributes));
  const torch::Tensor before = model(table);
  table.values = table.values.clone();
  table.values[4][1] += 1.0;
  EXPECT_FALSE(torch::allclose(model(table)[0], before[0]));
}

TEST(Isab, IsTwoBlocksAroundItsInducingPoints) {
  // Members of a set that are equal stay equal, and the set's order does not matter to any of them.
  torch::manual_seed(5);
  Isab isab(MabOptions{.query_width = 6, .key_width = 6}, 4);
  const torch::Tensor member = torch::randn({1, 1, 6});
  const torch::Tensor other = torch::randn({1, 1, 6});
  const torch::Tensor out = isab(torch::cat({member, other, member}, 1));
  EXPECT_TRUE(torch::allclose(out.select(1, 0), out.select(1, 2), 1e-5, 1e-6));
  const torch::Tensor swapped = isab(torch::cat({other, member, member}, 1));
  EXPECT_TRUE(torch::allclose(out.select(1, 1), swapped.select(1, 0), 1e-5, 1e-6));
}

TEST(Isab, WithNormalizedKeysTheLengthOfEntriesDoesNotMatter) {
  torch::manual_seed(6);
  const torch::Tensor rows = torch::arange(3, torch::kInt64);
  const torch::Tensor set = torch::randn({1, 9, 6}, torch::kFloat64);
  for (const bool normalize : {true, false}) {
    Isab isab(MabOptions{.query_width = 6, .key_width = 6, .normalize_keys = normalize}, 4);
    isab->to(torch::kFloat64);
    EXPECT_EQ(torch::allclose(isab->Weights(set, rows), isab->Weights(30.0 * set, rows), 1e-6, 1e-8), normalize);
  }
}

}  // namespace
}  // namespace haplospin
