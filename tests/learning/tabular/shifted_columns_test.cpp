#include "learning/tabular/shifted_columns.h"

#include <gtest/gtest.h>
#include <torch/utils.h>

namespace haplospin {
namespace {

const Attributes kShiftAttributes = {{0}, {0}, {3}, {0}};
const torch::Tensor kShiftTargets = torch::tensor({false, false, false, true});

EncodedTable ShiftRows(int64_t rows, uint64_t seed) {
  torch::manual_seed(seed);
  EncodedTable table{torch::randn({rows, 4}).exp(), torch::zeros({rows, 4}, torch::kBool)};
  table.values.select(1, 2).copy_(torch::randint(0, 3, {rows}));
  return table;
}

std::vector<int64_t> Found(const EncodedTable& known, const std::vector<EncodedTable>& parts) {
  ShiftedColumns columns(known, kShiftAttributes, kShiftTargets);
  for (const EncodedTable& part : parts) columns.Add(part);
  std::vector<int64_t> found;
  for (const ColumnShift& shift : columns.Find()) found.push_back(shift.column);
  return found;
}

TEST(ShiftedColumns, RowsOfTheSameKindHaveNone) {
  for (const uint64_t seed : {1, 2, 3}) {
    const EncodedTable known = ShiftRows(200, seed);
    for (const int64_t rows : {1, 5, 12, 300}) EXPECT_TRUE(Found(known, {ShiftRows(rows, seed + 10)}).empty()) << rows;
  }
}

TEST(ShiftedColumns, AnotherUnitIsFound) {
  const EncodedTable known = ShiftRows(200, 1);
  for (const double factor : {100.0, 0.01}) {
    EncodedTable rows = ShiftRows(100, 2);
    rows.values.select(1, 1).mul_(factor);
    rows.values.select(1, 3).mul_(factor);  // a target, which may be anything
    EXPECT_EQ(Found(known, {rows.Part(0, 60), rows.Part(60, 40)}), (std::vector<int64_t>{1})) << factor;
  }
  EncodedTable one = ShiftRows(1, 3);
  one.values.select(1, 0).fill_(500);
  EXPECT_EQ(Found(known, {one}), (std::vector<int64_t>{0}));
}

TEST(ShiftedColumns, AnEmptyColumnIsFound) {
  EncodedTable known = ShiftRows(200, 1), rows = ShiftRows(20, 2);
  for (const int64_t column : {1, 2}) rows.missing.select(1, column).fill_(true);
  EXPECT_EQ(Found(known, {rows}), (std::vector<int64_t>{1, 2}));
  known.missing.select(1, 1).narrow(0, 0, 190).fill_(true);  // mostly empty in the known rows, too
  EXPECT_EQ(Found(known, {rows}), (std::vector<int64_t>{2}));
}

}  // namespace
}  // namespace haplospin
