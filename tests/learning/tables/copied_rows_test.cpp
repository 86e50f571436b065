#include "learning/tables/copied_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace haplospin {
namespace {

using testing::SizeIs;

Table WithColumns(std::vector<Column> columns) {
  Table table{.columns = std::move(columns)};
  table.lines.resize(std::max(table.columns[0].numbers.size(), table.columns[0].codes.size()));
  return table;
}

TEST(CopiedRows, TheFirstOfEqualRowsStays) {
  Column x{.name = "x"}, missing{.name = "y"}, kind{.name = "c", .kind = ColumnKind::kCategorical};
  for (int row = 0; row < 60; ++row) {
    x.numbers.push_back(row % 30 + 0.5);
    missing.numbers.push_back(std::nan(""));
    kind.codes.push_back(row == 45 ? 1 : row % 3 - 1);
  }
  std::vector<size_t> different(30);
  std::iota(different.begin(), different.end(), size_t{0});
  different.push_back(45);
  EXPECT_EQ(RowsWithoutCopies(WithColumns({missing, x, kind})), different);
}

// The same people of the same sex and class: no copies.
TEST(CopiedRows, RowsOfFewValuesMayBeEqualByChance) {
  Column age{.name = "age"}, sex{.name = "sex", .kind = ColumnKind::kCategorical};
  for (int row = 0; row < 100; ++row) {
    age.numbers.push_back(row % 5);
    sex.codes.push_back(row % 3);
  }
  EXPECT_THAT(RowsWithoutCopies(WithColumns({sex})), SizeIs(100));
  EXPECT_THAT(RowsWithoutCopies(WithColumns({age, sex})), SizeIs(100));
  Column weight{.name = "weight"};
  for (int row = 0; row < 100; ++row) weight.numbers.push_back(row % 30);
  EXPECT_THAT(RowsWithoutCopies(WithColumns({age, sex, weight})), SizeIs(30));
}

// Where what tells rows apart was not measured, they may be equal by chance, too.
TEST(CopiedRows, RowsWithoutTheirNumberAreKept) {
  Column x{.name = "x"};
  for (int row = 0; row < 30; ++row) x.numbers.push_back(row < 20 ? row : std::nan(""));
  EXPECT_THAT(RowsWithoutCopies(WithColumns({x})), SizeIs(30));
}

}  // namespace
}  // namespace haplospin
