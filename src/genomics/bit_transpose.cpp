#include "genomics/bit_transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genomics/bit_transpose.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// After foreach_target.h:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<uint64_t, kNumSquares>;

// Swaps off-diagonal squares of kSize bits: bits of `low` in the lower rows with those kSize bits above in the upper.
template <unsigned kSize>
void SwapSquares(uint64_t low, BitSquares& squares) {
  const D d;
  const auto mask = hn::Set(d, low);
  for (size_t upper = 0; upper < kSquareSize; upper = (upper + kSize + 1) & ~size_t{kSize}) {
    uint64_t* const a = squares[upper].data();
    uint64_t* const b = squares[upper + kSize].data();
    for (size_t s = 0; s < kNumSquares; s += hn::Lanes(d)) {
      const auto above = hn::Load(d, a + s), below = hn::Load(d, b + s);
      const auto swapped = hn::And(hn::Xor(hn::ShiftRight<kSize>(above), below), mask);
      hn::Store(hn::Xor(above, hn::ShiftLeft<kSize>(swapped)), d, a + s);
      hn::Store(hn::Xor(below, swapped), d, b + s);
    }
  }
}

// Squares of half the size, then of a quarter, ... (H. S. Warren, Hacker's Delight, section 7-3).
void TransposeAll(BitSquares& squares) {
  SwapSquares<32>(0x00000000FFFFFFFFu, squares);
  SwapSquares<16>(0x0000FFFF0000FFFFu, squares);
  SwapSquares<8>(0x00FF00FF00FF00FFu, squares);
  SwapSquares<4>(0x0F0F0F0F0F0F0F0Fu, squares);
  SwapSquares<2>(0x3333333333333333u, squares);
  SwapSquares<1>(0x5555555555555555u, squares);
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(TransposeAll);

void Transpose(BitSquares& squares) { HWY_DYNAMIC_DISPATCH(TransposeAll)(squares); }

}  // namespace haplospin
#endif
