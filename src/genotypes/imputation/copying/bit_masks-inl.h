// Masks of vectors from bits. Kernels include this file once per instruction set.
#if defined(HAPLOSPIN_BIT_MASKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPLOSPIN_BIT_MASKS_INL_H_
#undef HAPLOSPIN_BIT_MASKS_INL_H_
#else
#define HAPLOSPIN_BIT_MASKS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

using MaskedFloats = hwy::HWY_NAMESPACE::CappedTag<float, 16>;

// Calls visit(i, mask, is_odd) for all whole vectors of n values, where `mask` has the bits from the i-th on: bit i is
// bits[i / 64] >> (i % 64) & 1. Every other vector is odd, so that sums over the two kinds do not wait for each other.
// Returns the number of values visited. 32 bits at a time are in all lanes, of which each tests its own: without
// instructions for masks, this takes about half the time of hn::LoadMaskBits() for each vector.
template <typename Visit>
HWY_INLINE size_t ForEachMasked(const uint64_t* bits, size_t n, const Visit& visit) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr size_t kBits = 32;
  alignas(64) static constexpr uint32_t kBit[kBits] = {
      1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
      1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
      1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
  const MaskedFloats d;
  const hn::RebindToUnsigned<MaskedFloats> du;
  const size_t lanes = hn::Lanes(d);
  const auto word_at = [&](size_t i) { return hn::Set(du, static_cast<uint32_t>(bits[i / 64] >> (i % 64))); };
  const auto mask_at = [&](auto word, size_t k) {
    return hn::RebindMask(d, hn::TestBit(word, hn::Load(du, kBit + k)));
  };
  size_t i = 0;
  for (; i + kBits <= n; i += kBits) {
    const auto word = word_at(i);
    for (size_t k = 0; k < kBits; k += 2 * lanes) {
      visit(i + k, mask_at(word, k), false);
      visit(i + k + lanes, mask_at(word, k + lanes), true);
    }
  }
  if (i + lanes > n) return i;
  const auto word = word_at(i);
  for (size_t k = 0; i + lanes <= n; k += lanes, i += lanes) visit(i, mask_at(word, k), false);
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#endif
