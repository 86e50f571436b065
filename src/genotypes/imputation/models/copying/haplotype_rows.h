// A view of phased haplotypes at typed markers, a row of bits for each haplotype, and the search for their mismatches.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "genotypes/genomics/distinct_haplotypes.h"

namespace haplospin {

// Bit j % 64 of word j / 64 of a row is the allele at typed marker j; bits beyond the last marker are 0. The memory
// belongs to the caller.
struct HaplotypeRows {
  const uint64_t* bits = nullptr;              // [haplotypes, words]; null if the alleles are in `groups`
  std::span<const DistinctHaplotypes> groups;  // of kMaxMarkers markers each, the last one of what is left
  size_t num_haplotypes = 0;
  size_t num_markers = 0;
  std::span<const float> centimorgans;   // [markers], ascending
  const uint64_t* major_bits = nullptr;  // [words] the alleles that most haplotypes have

  size_t words() const { return (num_markers + 63) / 64; }
  const uint64_t* row(size_t haplotype) const { return bits + haplotype * words(); }  // without groups
};

// Bits of the typed markers at which a reference haplotype and a target disagree; a missing allele agrees with any.
struct Disagreement {
  const uint64_t* reference;
  const uint64_t* target;
  const uint64_t* observed;
  uint64_t operator[](size_t word) const { return (reference[word] ^ target[word]) & observed[word]; }
};

// Returns the first mismatch at or beyond typed marker `from`, or m.
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

// Returns the last mismatch at or before typed marker `from`, or -1.
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
