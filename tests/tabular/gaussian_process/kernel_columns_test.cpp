#include "tabular/gaussian_process/kernel_columns.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace haplospin {
namespace {

// A column of numbers and one of three categories, some of them missing.
EncodedTable RandomColumns(int64_t rows) {
  EncodedTable table{torch::empty({rows, 2}), torch::rand({rows, 2}) < 0.2};
  table.values.select(1, 0).normal_().mul_(50).add_(1000);
  table.values.select(1, 1).copy_(torch::randint(3, {rows}));
  table.values.masked_fill_(table.missing, 0);
  return table;
}

const Attributes kColumns = {{.classes = 0}, {.classes = 3}};

TEST(KernelColumns, DoNotDependOnTheUnitOfNumbers) {
  torch::manual_seed(1);
  const EncodedTable table = RandomColumns(60);
  const EncodedTable other{table.values.clone(), table.missing};
  other.values.select(1, 0).mul_(0.25).add_(3);
  const KernelRows rows = KernelColumns(table, kColumns).Transform(table);
  const KernelRows others = KernelColumns(other, kColumns).Transform(other);
  EXPECT_TRUE(torch::allclose(rows.standardized, others.standardized, 1e-3, 1e-3));
  EXPECT_TRUE(torch::allclose(rows.forms, others.forms, 1e-3, 1e-3));
  EXPECT_TRUE(torch::equal(rows.codes, others.codes));
}

TEST(KernelColumns, MissingValuesAndCategoriesAreNoNumbers) {
  torch::manual_seed(2);
  const EncodedTable table = RandomColumns(60);
  const KernelRows rows = KernelColumns(table, kColumns).Transform(table);
  EXPECT_TRUE(torch::equal(rows.codes == -1, table.missing));
  EXPECT_TRUE((rows.standardized.masked_select(table.missing) == 0).all().item<bool>());
  EXPECT_TRUE((rows.standardized.select(1, 1) == 0).all().item<bool>());
  EXPECT_TRUE((rows.forms.select(1, 1) == 0).all().item<bool>());
  EXPECT_TRUE((rows.codes.select(1, 0) <= 0).all().item<bool>());
}

TEST(KernelColumns, RanksAreBetweenMinusOneAndOneAndFarNumbersAreCutOff) {
  const EncodedTable known{torch::arange(5, torch::kFloat32).unsqueeze(1), torch::zeros({5, 1}, torch::kBool)};
  const EncodedTable rows{torch::tensor({{-1e6f}, {2.0f}, {1e6f}}), torch::zeros({3, 1}, torch::kBool)};
  const KernelRows transformed = KernelColumns(known, {{.classes = 0}}).Transform(rows);
  EXPECT_TRUE(torch::allclose(transformed.standardized, torch::tensor({{-4.0f}, {0.0f}, {4.0f}})));
  EXPECT_TRUE(torch::allclose(transformed.forms.select(2, 1), torch::tensor({{-1.2f}, {0.0f}, {1.2f}})));
}

TEST(KernelColumns, AreFiniteForColumnsWithoutNumbersAndForConstantOnes) {
  const EncodedTable table{torch::full({5, 2}, 7.0f), torch::zeros({5, 2}, torch::kBool)};
  table.missing.select(1, 0).fill_(true);
  const KernelRows rows = KernelColumns(table, {{.classes = 0}, {.classes = 0}}).Transform(table);
  EXPECT_TRUE(rows.standardized.isfinite().all().item<bool>());
  EXPECT_TRUE(rows.forms.isfinite().all().item<bool>());
}

}  // namespace
}  // namespace haplospin
