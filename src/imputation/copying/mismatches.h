// Where a reference haplotype and a target disagree, 64 typed markers at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace haplospin {

// Words of the typed markers at which a reference haplotype and the target disagree; a missing allele agrees with any.
struct Disagreement {
  const uint64_t* reference;
  const uint64_t* target;
  const uint64_t* observed;
  uint64_t operator[](size_t word) const { return (reference[word] ^ target[word]) & observed[word]; }
};

// The first mismatch at or beyond typed marker `from`, or m.
inline int32_t NextMismatch(const Disagreement& differs, int32_t from, int32_t m) {
  if (from >= m) return m;
  size_t word = static_cast<size_t>(from) / 64;
  uint64_t bits = differs[word] & (~uint64_t{0} << (from % 64));
  const size_t last = static_cast<size_t>(m - 1) / 64;
  while (bits == 0) {
    if (word == last) return m;
    bits = differs[++word];
  }
  return static_cast<int32_t>(64 * word) + std::countr_zero(bits);
}

// The last mismatch at or before typed marker `from`, or -1.
inline int32_t PreviousMismatch(const Disagreement& differs, int32_t from) {
  if (from < 0) return -1;
  size_t word = static_cast<size_t>(from) / 64;
  uint64_t bits = differs[word] & (~uint64_t{0} >> (63 - from % 64));
  while (bits == 0) {
    if (word == 0) return -1;
    bits = differs[--word];
  }
  return static_cast<int32_t>(64 * word) + 63 - std::countl_zero(bits);
}

}  // namespace haplospin
