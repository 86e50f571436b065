#include "learning/tables/determining_columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace haplospin {
namespace {

using testing::ElementsAre;

constexpr size_t kRows = 60;

Column Numbers(const std::string& name, const std::function<double(size_t)>& value) {
  Column column{.name = name};
  for (size_t row = 0; row < kRows; ++row) column.numbers.push_back(value(row));
  return column;
}

Column Classes(const std::string& name, const std::function<int32_t(size_t)>& code) {
  Column column{.name = name, .kind = ColumnKind::kCategorical, .categories = {"a", "b", "c"}};
  for (size_t row = 0; row < kRows; ++row) column.codes.push_back(code(row));
  return column;
}

Table WithColumns(std::vector<Column> columns) {
  Table table{.columns = std::move(columns)};
  table.lines.resize(kRows);
  return table;
}

TEST(DeterminingColumns, AreOtherFormsOfTheTarget) {
  std::mt19937 random(1);
  std::vector<double> y, noise;
  for (size_t row = 0; row < kRows; ++row) {
    y.push_back(std::normal_distribution<double>()(random));
    noise.push_back(std::normal_distribution<double>()(random));
  }
  const Table numbers = WithColumns(
      {Numbers("y", [&](size_t row) { return y[row]; }), Numbers("twice", [&](size_t row) { return 7 - 2 * y[row]; }),
       Numbers("log", [&](size_t row) { return std::exp(y[row]); }),
       Numbers("near", [&](size_t row) { return y[row] + 0.01 * noise[row]; }),
       Numbers("id", [](size_t row) { return static_cast<double>(row); }),
       Numbers("gaps", [&](size_t row) { return row % 3 == 0 ? std::nan("") : y[row]; })});
  EXPECT_THAT(DeterminingColumns(numbers, "y"), ElementsAre("twice", "log", "gaps"));
  const auto is_high = [&](size_t row) { return y[row] > 0 ? 1 : 0; };
  const Table classes =
      WithColumns({Classes("y", is_high), Classes("alive", [&](size_t row) { return 1 - is_high(row); }),
                   Numbers("score", [&](size_t row) { return y[row]; }),
                   Classes("coin", [&](size_t row) { return noise[row] > 0 ? 1 : 0; }),
                   Numbers("flag", [&](size_t row) { return 5.0 * is_high(row); })});
  EXPECT_THAT(DeterminingColumns(classes, "y"), ElementsAre("alive", "flag"));
}

// A class of one row tells nothing of a column that has it alone.
TEST(DeterminingColumns, NeedMoreThanChance) {
  const Table rare = WithColumns({Classes("y", [](size_t row) { return row == 7 ? 1 : 0; }),
                                  Classes("x", [](size_t row) { return row == 7 ? 2 : 1; })});
  EXPECT_TRUE(DeterminingColumns(rare, "y").empty());
}

}  // namespace
}  // namespace haplospin
