#include "genotypes/genomics/bits.h"

#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

TEST(Bits, AreSetAndCountedInWords) {
  for (const size_t size : {1, 63, 64, 65, 200}) {
    std::vector<uint64_t> row(WordsOf(size));
    EXPECT_GE(64 * row.size(), size);
    EXPECT_LT(64 * row.size(), size + 64);
    for (size_t i = 0; i < size; i += 3) SetBit(row, i);
    for (size_t i = 0; i < size; ++i) EXPECT_EQ(HasBit(row, i), i % 3 == 0) << i;
    EXPECT_EQ(CountBits(row), (size + 2) / 3);
  }
}

TEST(LastWordMask, HasTheBitsOfTheRow) {
  EXPECT_EQ(LastWordMask(1), 1u);
  EXPECT_EQ(LastWordMask(67), 7u);
  EXPECT_EQ(LastWordMask(64), ~uint64_t{0});
}

}  // namespace
}  // namespace haplospin
