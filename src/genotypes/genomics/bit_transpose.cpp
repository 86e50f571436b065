#include "genotypes/genomics/bit_transpose.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/genomics/bit_transpose.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// Must follow foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Swaps off-diagonal squares of kSize bits: bits of `low` in the lower rows with those kSize bits above in the upper.
// The kSize upper rows are one after the other in memory, and so are the lower ones.
template <unsigned kSize, size_t kCount>
void SwapSquares(uint64_t low, SquaresOfBits<kCount>& squares) {
  constexpr size_t kWords = kSize * kCount;
  const hn::CappedTag<uint64_t, kWords> d;
  const auto mask = hn::Set(d, low);
  for (size_t upper = 0; upper < kSquareSize; upper += 2 * kSize) {
    uint64_t* const a = squares[upper].data();
    uint64_t* const b = squares[upper + kSize].data();
    for (size_t i = 0; i < kWords; i += hn::Lanes(d)) {
      const auto above = hn::Load(d, a + i), below = hn::Load(d, b + i);
      const auto swapped = hn::And(hn::Xor(hn::ShiftRight<kSize>(above), below), mask);
      hn::Store(hn::Xor(above, hn::ShiftLeft<kSize>(swapped)), d, a + i);
      hn::Store(hn::Xor(below, swapped), d, b + i);
    }
  }
}

// Squares of half the size, then of a quarter, ... (H. S. Warren, Hacker's Delight, section 7-3).
template <size_t kCount>
void TransposeAll(SquaresOfBits<kCount>& squares) {
  SwapSquares<32>(0x00000000FFFFFFFFu, squares);
  SwapSquares<16>(0x0000FFFF0000FFFFu, squares);
  SwapSquares<8>(0x00FF00FF00FF00FFu, squares);
  SwapSquares<4>(0x0F0F0F0F0F0F0F0Fu, squares);
  SwapSquares<2>(0x3333333333333333u, squares);
  SwapSquares<1>(0x5555555555555555u, squares);
}

void TransposeEight(BitSquares& squares) { TransposeAll(squares); }
void TransposeTwo(TwoBitSquares& squares) { TransposeAll(squares); }

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(TransposeEight);
HWY_EXPORT(TransposeTwo);

void Transpose(BitSquares& squares) { HWY_DYNAMIC_DISPATCH(TransposeEight)(squares); }
void Transpose(TwoBitSquares& squares) { HWY_DYNAMIC_DISPATCH(TransposeTwo)(squares); }

void TransposeRows(std::span<const uint64_t> rows, size_t words, size_t columns, uint64_t* out, size_t stride) {
  BitSquares squares;
  for (size_t word = 0; word < words; word += kNumSquares) {
    const size_t width = std::min(kNumSquares, words - word);
    squares.fill({});
    for (size_t r = 0; r * words < rows.size(); ++r) {
      std::copy_n(rows.data() + r * words + word, width, squares[r].begin());
    }
    Transpose(squares);
    for (size_t c = word * kSquareSize; c < std::min(columns, (word + width) * kSquareSize); ++c) {
      out[c * stride] = squares[c % kSquareSize][c / kSquareSize - word];
    }
  }
}

}  // namespace haplospin
#endif
