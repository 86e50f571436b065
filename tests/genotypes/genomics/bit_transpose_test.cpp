#include "genotypes/genomics/bit_transpose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

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

TEST(TransposeRows, TurnsARowIntoABitOfEachColumn) {
  constexpr size_t kStride = 3;
  std::mt19937_64 random(2);
  for (const auto& [count, columns] : {std::pair<size_t, size_t>{64, 640}, {1, 1}, {40, 1000}, {63, 65}}) {
    const size_t words = (columns + 63) / 64;
    std::vector<uint64_t> rows(count * words), out(columns * kStride);
    std::ranges::generate(rows, [&] { return random(); });
    TransposeRows(rows, words, columns, out.data() + 1, kStride);
    for (size_t c = 0; c < columns; ++c) {
      uint64_t expected = 0;
      for (size_t r = 0; r < count; ++r) expected |= (rows[r * words + c / 64] >> c % 64 & 1) << r;
      ASSERT_EQ(out[c * kStride + 1], expected) << count << ", " << c;
      ASSERT_EQ(out[c * kStride], 0u);
    }
  }
}

}  // namespace
}  // namespace haplospin
