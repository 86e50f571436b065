#include "genomics/bit_transpose.h"

#include <gtest/gtest.h>

#include <random>

namespace haplospin {
namespace {

TEST(BitTranspose, SwapsRowsAndColumnsOfEachSquare) {
  std::mt19937_64 random(1);
  BitSquares before;
  for (auto& row : before) {
    for (uint64_t& word : row) word = random();
  }
  BitSquares after = before;
  Transpose(after);
  for (size_t square = 0; square < kNumSquares; ++square) {
    for (size_t r = 0; r < kSquareSize; ++r) {
      for (size_t c = 0; c < kSquareSize; ++c) {
        ASSERT_EQ(after[c][square] >> r & 1, before[r][square] >> c & 1) << square << ' ' << r << ' ' << c;
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
