// Samples whose two haplotypes are exchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genomics/mutable_panel.h"

namespace haplospin {

class HaplotypeExchange {
 public:
  // Of no sample yet.
  explicit HaplotypeExchange(const SampleTable& samples);

  // Exchanges those of a diploid sample, or exchanges them back.
  void Toggle(size_t sample);

  // Appends marker m of a panel to another of the same samples, with the alleles exchanged.
  void Append(const HaplotypePanel& from, size_t m, MutablePanel& to);

 private:
  void ExchangeBits(std::span<uint64_t> bits) const;
  uint32_t Exchanged(std::span<const uint32_t> carriers, size_t k) const;
  bool IsFirst(uint32_t haplotype) const { return first_[haplotype / 64] >> haplotype % 64 & 1; }

  const std::vector<uint32_t> first_haplotype_;  // of each sample
  std::vector<uint64_t> first_;                  // bit h: haplotype h is exchanged with h + 1
  std::vector<uint64_t> bits_;                   // workspace
  std::vector<uint32_t> carriers_;
};

}  // namespace haplospin
