// A view of phased haplotypes at typed markers: a row of bits for each haplotype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// Bit j % 64 of word j / 64 of a row is the allele at typed marker j; bits beyond the last marker are 0. The memory
// belongs to the caller.
struct HaplotypeRows {
  const uint64_t* bits = nullptr;  // [haplotypes, words]
  size_t num_haplotypes = 0;
  size_t num_markers = 0;
  std::span<const float> centimorgans;   // [markers], ascending
  const uint64_t* major_bits = nullptr;  // [words] the alleles that most haplotypes have

  size_t words() const { return (num_markers + 63) / 64; }
  const uint64_t* row(size_t haplotype) const { return bits + haplotype * words(); }
};

}  // namespace haplospin
