// The alleles of chosen markers of a panel, a row of bits for each haplotype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Row h holds bit k % 64 of word k / 64 for the k-th chosen marker.
class HaplotypeMajorBits {
 public:
  HaplotypeMajorBits(const HaplotypePanel& panel, std::span<const uint32_t> markers);

  size_t words_per_haplotype() const { return words_; }
  const uint64_t* row(size_t haplotype) const { return bits_.data() + haplotype * words_; }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace haplospin
