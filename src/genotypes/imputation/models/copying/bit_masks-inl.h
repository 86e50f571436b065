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

constexpr size_t kWordBits = 32;  // in all lanes at a time

// Returns 32 bits, from the i-th on, in all lanes.
HWY_INLINE auto WordAt(const uint64_t* bits, size_t i) {
  const hwy::HWY_NAMESPACE::RebindToUnsigned<MaskedFloats> du;
  return hwy::HWY_NAMESPACE::Set(du, static_cast<uint32_t>(bits[i / 64] >> (i % 64)));
}

// Returns the mask of the bits of a word from the k-th on.
template <typename Word>
HWY_INLINE auto MaskAt(Word word, size_t k) {
  namespace hn = hwy::HWY_NAMESPACE;
  alignas(64) static constexpr uint32_t kBit[kWordBits] = {
      1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
      1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
      1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};
  const hn::RebindToUnsigned<MaskedFloats> du;
  return hn::RebindMask(MaskedFloats(), hn::TestBit(word, hn::Load(du, kBit + k)));
}

// Calls visit(i, mask, is_odd) for all whole vectors of n values, where `mask` has the bits from the i-th on: bit i is
// bits[i / 64] >> (i % 64) & 1. Every other vector is odd, so that sums over the two kinds do not wait for each other.
// Returns the number of values visited. 32 bits at a time are in all lanes, of which each tests its own: without
// instructions for masks, this takes about half the time of hn::LoadMaskBits() for each vector.
template <typename Visit>
HWY_INLINE size_t ForEachMasked(const uint64_t* bits, size_t n, const Visit& visit) {
  namespace hn = hwy::HWY_NAMESPACE;
  const size_t lanes = hn::Lanes(MaskedFloats());
  size_t i = 0;
  for (; i + kWordBits <= n; i += kWordBits) {
    const auto word = WordAt(bits, i);
    for (size_t k = 0; k < kWordBits; k += 2 * lanes) {
      visit(i + k, MaskAt(word, k), false);
      visit(i + k + lanes, MaskAt(word, k + lanes), true);
    }
  }
  if (i + lanes > n) return i;
  const auto word = WordAt(bits, i);
  for (size_t k = 0; i + lanes <= n; k += lanes, i += lanes) visit(i, MaskAt(word, k), false);
  return i;
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#endif
