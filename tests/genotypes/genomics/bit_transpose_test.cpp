#include "genotypes/genomics/bit_transpose.h"

#include <gtest/gtest.h>

#include <random>

namespace haplospin {
namespace {

template <typename Squares>
class BitTranspose : public testing::Test {};
using AllSquares = testing::Types<BitSquares, TwoBitSquares>;
TYPED_TEST_SUITE(BitTranspose, AllSquares);

TYPED_TEST(BitTranspose, SwapsRowsAndColumnsOfEachSquare) {
  std::mt19937_64 random(1);
  TypeParam before;
  for (auto& row : before) {
    for (uint64_t& word : row) word = random();
  }
  TypeParam after = before;
  Transpose(after);
  for (size_t square = 0; square < before[0].size(); ++square) {
    for (size_t r = 0; r < kSquareSize; ++r) {
      for (size_t c = 0; c < kSquareSize; ++c) {
        ASSERT_EQ(after[c][square] >> r & 1, before[r][square] >> c & 1) << square << ' ' << r << ' ' << c;
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
