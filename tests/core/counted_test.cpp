#include "core/counted.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(Counted, NounsAreInThePluralButForOne) {
  EXPECT_EQ(Counted(1, "sample"), "1 sample");
  EXPECT_EQ(Counted(1234, "sample"), "1234 samples");
  EXPECT_EQ(CountedInGroups(1234567, "sample"), "1,234,567 samples");
}

TEST(Counted, SharesOfNothingAreZero) {
  EXPECT_EQ(ShareOf(size_t{3}, 4), 0.75);
  EXPECT_EQ(ShareOf(size_t{0}, 0), 0);
  EXPECT_EQ(PercentageOf(0.5, 4), 12.5);
  EXPECT_EQ(PercentageOf(0.0, 0), 0);
}

}  // namespace
}  // namespace haplospin
