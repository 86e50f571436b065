#include "learning/tabular/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace haplospin {
namespace {

TEST(Splits, StrataOfNumbersAreFifths) {
  Column column;
  for (int i = 0; i < 100; ++i) column.numbers.push_back(i);
  column.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  const std::vector<uint32_t> strata = Strata(column);
  EXPECT_EQ(strata[0], 1u);
  EXPECT_EQ(strata[19], 1u);
  EXPECT_EQ(strata[20], 2u);
  EXPECT_EQ(strata[99], 5u);
  EXPECT_EQ(strata[100], 0u);
}

TEST(Splits, EveryStretchOfTheOrderHoldsTheStrataInProportion) {
  RandomStream random(1);
  std::vector<size_t> rows(300);
  std::iota(rows.begin(), rows.end(), size_t{1000});
  std::vector<uint32_t> strata;
  for (size_t i = 0; i < rows.size(); ++i) strata.push_back(i < 60 ? 7 : 8);
  const std::vector<size_t> order = StratifiedOrder(rows, strata, random);
  EXPECT_TRUE(std::ranges::is_permutation(order, rows));
  for (size_t first = 0; first < 300; first += 50) {
    const auto rare =
        std::count_if(order.begin() + static_cast<long>(first), order.begin() + static_cast<long>(first) + 50,
                      [](size_t row) { return row < 1060; });
    EXPECT_NEAR(static_cast<double>(rare), 10, 2);
  }
}

TEST(Splits, PartsDifferByOneRowAtMost) {
  RandomStream random(2);
  std::vector<uint32_t> strata;
  for (int i = 0; i < 103; ++i) strata.push_back(static_cast<uint32_t>(random.UniformInt(4)));
  const std::vector<size_t> part_of = StratifiedParts(strata, 5, random);
  std::map<size_t, int> size;
  std::map<std::pair<size_t, uint32_t>, int> stratum_size;
  for (size_t i = 0; i < strata.size(); ++i) {
    ++size[part_of[i]];
    ++stratum_size[{part_of[i], strata[i]}];
  }
  for (size_t part = 0; part < 5; ++part) {
    EXPECT_NEAR(size[part], 103 / 5.0, 1);
    for (uint32_t stratum = 0; stratum < 4; ++stratum) {
      const int a = stratum_size[{part, stratum}], b = stratum_size[{0, stratum}];
      EXPECT_LE(std::abs(a - b), 1);
    }
  }
}

TEST(Splits, ContextRowsKeepTheProportions) {
  std::vector<uint32_t> strata(1000, 1);
  for (size_t i = 0; i < 200; ++i) strata[i * 5] = 2;
  std::vector<size_t> rows(1000);
  std::iota(rows.begin(), rows.end(), size_t{0});
  const std::vector<size_t> chosen = ContextRows(rows, strata, 100, 1);
  EXPECT_EQ(chosen.size(), 100u);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
  EXPECT_NEAR(static_cast<double>(std::ranges::count_if(chosen, [](size_t row) { return row % 5 == 0; })), 20, 1);
  EXPECT_EQ(ContextRows(rows, strata, 1000, 1), rows);
}

}  // namespace
}  // namespace haplospin
