// The alleles of a window's reference haplotypes at the markers to impute, laid out for lookups by candidate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "haplospin/haplotype_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// A set of an interval's candidates.
struct CandidateMask {
  uint64_t words[2] = {0, 0};
  static_assert(kMaxCandidates <= 128);

  void Set(size_t k) { words[k / 64] |= uint64_t{1} << (k % 64); }
  bool Has(size_t k) const { return words[k / 64] >> (k % 64) & 1; }
  bool None() const { return (words[0] | words[1]) == 0; }
  bool operator==(const CandidateMask&) const = default;
  static CandidateMask First(size_t count);
};

// The panel markers [begin, end). Each belongs to an anchor: an untyped marker to that of the interval it lies in, a
// typed marker, for targets that miss it, to that of the interval on its left. The panel must outlive this.
class WindowAlleles {
 public:
  WindowAlleles(const HaplotypePanel& panel, const TypedPanel& typed_panel, size_t begin, size_t end);

  size_t begin() const { return begin_; }
  size_t end() const { return end_; }

  // The markers of an anchor are first_marker(anchor) up to first_marker(anchor + 1); other intervals have none.
  size_t first_marker(size_t interval) const { return first_marker_[interval]; }

  static constexpr uint32_t kUntyped = UINT32_MAX;
  // Returns the index of a marker among the typed ones, or kUntyped.
  uint32_t typed_index(size_t marker) const { return typed_index_[marker - begin_]; }
  // Returns the allele that a target has at a marker, or kMissingAllele if it is to be imputed.
  uint8_t GivenAllele(const TargetHaplotype& target, size_t marker) const {
    const uint32_t typed = typed_index(marker);
    return typed == kUntyped ? kMissingAllele : target.alleles[typed];
  }
  bool minor_is_alt(size_t marker) const { return minor_is_alt_[marker - begin_] != 0; }

  // Sets `carriers` [markers of the anchor] to the candidates that carry the minor allele.
  void FindCarriers(size_t anchor, std::span<const uint32_t> candidates, std::vector<CandidateMask>& carriers) const;

 private:
  void FindColumns();
  void ListCarried();
  template <typename Visit>
  void ForEachListed(size_t begin, size_t end, const Visit& visit) const;
  std::span<const uint32_t> Carried(uint32_t haplotype) const {
    return {carried_.data() + first_carried_[haplotype], carried_.data() + first_carried_[haplotype + 1]};
  }
  // Returns whether a haplotype carries a listed marker's minor allele in an anchor, which few do.
  bool CarriesListed(uint32_t haplotype, size_t anchor) const {
    return carrying_[haplotype * carrying_words_ + anchor / 64] >> (anchor % 64) & 1;
  }
  size_t FirstCarried(std::span<const uint32_t> carried, size_t marker) const;

  const HaplotypePanel& panel_;
  size_t begin_;
  size_t end_;
  std::vector<uint32_t> typed_index_;  // [end - begin]
  std::vector<uint8_t> minor_is_alt_;  // [end - begin] a copy, as the panel's are far apart in memory
  std::vector<size_t> first_marker_;   // [intervals + 1]
  std::vector<uint32_t> dense_;        // markers kept as bits by haplotype; the others are listed by carrier
  std::vector<uint32_t> first_dense_;  // [intervals + 1] into dense_
  std::vector<DistinctHaplotypes::Column> columns_;              // [dense_] places of their bits
  std::vector<std::unique_ptr<DistinctHaplotypes>> own_groups_;  // markers that are in no group of the panel
  std::vector<uint32_t> carried_;      // the listed markers whose minor allele a haplotype carries, ascending
  std::vector<size_t> first_carried_;  // [haplotypes + 1] into carried_
  size_t carrying_words_ = 0;
  std::vector<uint64_t> carrying_;  // [haplotypes, carrying_words_] bits of CarriesListed()
};

}  // namespace haplospin
