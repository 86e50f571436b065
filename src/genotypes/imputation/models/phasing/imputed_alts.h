// The probabilities of alleles that were imputed while the samples of a study copied each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/haplotype_rows.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// In place of the haplotype of a sample that the reference does not have.
inline constexpr uint32_t kNoHaplotype = UINT32_MAX;

// The probability of ALT of each haplotype of a reference, in 255ths, at the markers where alleles of any were imputed.
// A haplotype is copied over many markers, so its probabilities are next to each other.
class ImputedAlts {
 public:
  // No allele was imputed.
  ImputedAlts() = default;

  // samples[k] has the haplotypes of the reference from first[k] on, or none. Runs on all threads.
  ImputedAlts(const HaplotypeRows& reference, std::span<const SampleGenotypes> samples,
              std::span<const uint32_t> first);

  bool Has(size_t j) const { return !place_.empty() && place_[j] != kNone; }

  // Returns the place of a marker that it has in the row of each haplotype.
  uint32_t place(size_t j) const { return place_[j]; }
  // [markers], and kGapPadding bytes that may be read.
  const uint8_t* row(size_t haplotype) const { return alt_.data() + haplotype * stride_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  std::vector<uint32_t> place_;  // [typed] place in a row, or kNone
  size_t stride_ = 0;            // number of markers in a row
  std::vector<uint8_t> alt_;     // [haplotypes][markers]
};

}  // namespace haplospin
