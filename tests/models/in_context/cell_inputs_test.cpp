#include "models/in_context/cell_inputs.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace haplospin {
namespace {

// A column of numbers and one of three categories, some of them missing.
TaskTable RandomTaskTable(int64_t rows, int64_t context) {
  TaskTable table{.values = torch::empty({rows, 2}), .missing = torch::rand({rows, 2}) < 0.2, .context = context};
  table.columns = {{.classes = 0}, {.classes = 3}};
  table.values.select(1, 0).normal_().mul_(50).add_(1000);
  table.values.select(1, 1).copy_(torch::randint(3, {rows}));
  table.values.masked_fill_(table.missing, 0);
  return table;
}

TEST(CellInputs, DoNotDependOnTheUnitOfNumbers) {
  torch::manual_seed(1);
  const TaskTable table = RandomTaskTable(60, 40);
  TaskTable other = table;
  other.values = table.values.clone();
  other.values.select(1, 0).mul_(0.25).add_(3);
  EXPECT_TRUE(torch::allclose(CellInputs(table, 7), CellInputs(other, 7), 1e-3, 1e-3));
}

TEST(CellInputs, RowsAfterTheContextChangeNothingInOthers) {
  torch::manual_seed(2);
  const TaskTable table = RandomTaskTable(60, 40);
  TaskTable other = table;
  other.values = table.values.clone();
  other.values[59][0] = 1e6;
  EXPECT_TRUE(torch::equal(CellInputs(table, 7).narrow(0, 0, 59), CellInputs(other, 7).narrow(0, 0, 59)));
}

TEST(CellInputs, EqualCellsAreEqualAndOtherCategoriesAreNot) {
  torch::manual_seed(3);
  TaskTable table = RandomTaskTable(10, 10);
  table.missing.fill_(false);
  table.values[0][1] = 1, table.values[1][1] = 1, table.values[2][1] = 2;
  const torch::Tensor inputs = CellInputs(table, 7);
  EXPECT_TRUE(torch::equal(inputs[0][1], inputs[1][1]));
  EXPECT_FALSE(torch::equal(inputs[0][1], inputs[2][1]));
  EXPECT_FALSE(torch::equal(inputs, CellInputs(table, 8)));
}

TEST(CellInputs, AreFiniteForColumnsWithoutNumbersAndForConstantOnes) {
  TaskTable table{.values = torch::full({5, 2}, 7.0f), .missing = torch::zeros({5, 2}, torch::kBool), .context = 4};
  table.missing.select(1, 0).fill_(true);
  table.columns = {{.classes = 0}, {.classes = 0}};
  EXPECT_TRUE(CellInputs(table, 7).isfinite().all().item<bool>());
}

TEST(LabelInputs, TellClassesNumbersAndUnknownLabelsApart) {
  const torch::Tensor classes = LabelInputs(torch::tensor({0.0f, 1.0f}), 2);
  EXPECT_FALSE(torch::equal(classes[0], classes[1]));
  EXPECT_FALSE(torch::equal(LabelInputs(torch::tensor({1.0f}), 0), classes.narrow(0, 1, 1)));
  EXPECT_FALSE(torch::equal(UnknownLabelInputs(2), UnknownLabelInputs(0)));
  EXPECT_TRUE(LabelInputs(torch::tensor({1e6f, -1e6f}), 0).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
