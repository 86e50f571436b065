// Some samples of a panel, with their haplotypes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

class SampleSubset {
 public:
  // `chosen` are indices into the samples of `all`; the subset has them in this order.
  SampleSubset(const SampleTable& all, std::span<const uint32_t> chosen) : samples_{{}, {0}} {
    for (const uint32_t s : chosen) {
      for (uint32_t h = all.first_haplotype[s]; h < all.first_haplotype[s + 1]; ++h) haplotypes_.push_back(h);
      samples_.Add(all.names[s], all.ploidy(s));
    }
  }

  const SampleTable& samples() const { return samples_; }
  size_t num_haplotypes() const { return haplotypes_.size(); }

  // [haplotypes of the subset] their indices in the panel.
  const std::vector<uint32_t>& haplotypes() const { return haplotypes_; }

  // `panel_bits` are the alleles of a marker, as HaplotypePanel::CopyBits gives them.
  uint8_t Allele(std::span<const uint64_t> panel_bits, size_t haplotype) const {
    const uint32_t h = haplotypes_[haplotype];
    return static_cast<uint8_t>(panel_bits[h / 64] >> (h % 64) & 1);
  }

  // Returns the alleles of the subset at a marker of the panel, as MutablePanel::Append() takes them.
  std::vector<uint64_t> Bits(const HaplotypePanel& panel, size_t marker) const;

 private:
  SampleTable samples_;
  std::vector<uint32_t> haplotypes_;
};

}  // namespace haplospin
