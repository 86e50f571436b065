#include "learning/tables/category_codes.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

TEST(CategoryCodes, NumbersAreFoundByTheirValue) {
  const CategoryCodes codes({"0", "1", "10"}, '.');
  EXPECT_EQ(codes.Find("10"), 2);
  EXPECT_EQ(codes.Find("1.0"), 1);
  EXPECT_EQ(codes.Find("2"), -1);
  EXPECT_EQ(CategoryCodes({"1", "2"}, ',').Find("2,0"), 1);
}

TEST(CategoryCodes, TextsAndSpellingsGivenAreThemselves) {
  EXPECT_EQ(CategoryCodes({"1", "A"}, '.').Find("1.0"), -1);
  const CategoryCodes postcodes({"01", "1"}, '.');
  EXPECT_EQ(postcodes.Find("01"), 0);
  EXPECT_EQ(postcodes.Find("1"), 1);
}

}  // namespace
}  // namespace haplospin
