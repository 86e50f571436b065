// The alleles of some haplotypes of a panel, by marker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// All haplotypes of a panel, or evenly spaced runs of 64 of them.
class SampledHaplotypes {
 public:
  SampledHaplotypes(const HaplotypePanel& panel, size_t max_haplotypes);

  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_words() const { return words_.size(); }

  // Bits of num_words() words: 1 for haplotypes with ALT, or with the minor allele; 0 beyond the last haplotype.
  void CopyAlt(size_t marker, uint64_t* out) const;
  void CopyMinor(size_t marker, uint64_t* out) const;

  // The bit of a haplotype of the panel, if it is one of the sampled ones.
  std::optional<size_t> BitOf(size_t haplotype) const;

 private:
  void CopyCarriers(size_t marker, uint64_t* out) const;
  void Flip(uint64_t* bits) const;

  static constexpr uint32_t kNone = UINT32_MAX;

  const HaplotypePanel& panel_;
  size_t num_haplotypes_ = 0;
  std::vector<uint32_t> words_;    // of the panel's words_per_marker(), ascending
  std::vector<uint32_t> slot_of_;  // [words_per_marker()] index in words_, or kNone
};

}  // namespace haplospin
