// The alleles of haplotypes at some adjacent markers, each distinct sequence stored once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Within a few hundred markers, a large panel has few distinct haplotypes. They take a fraction of the memory of its
// alleles (the idea of the m3vcf and bref3 formats), and each is a row of bits, for lookups by haplotype.
class DistinctHaplotypes {
 public:
  static constexpr size_t kMaxMarkers = 256;

  // `markers` of the panel, ascending, at least one and at most kMaxMarkers.
  DistinctHaplotypes(const HaplotypePanel& panel, std::span<const uint32_t> markers);

  size_t num_markers() const { return num_markers_; }
  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_distinct() const { return rows_.size() / words_; }

  // Alleles of a haplotype at the markers from the `first`-th on, one bit each, lowest first; 0 beyond the last marker.
  uint64_t Bits(size_t haplotype, size_t first) const {
    const uint64_t* row = rows_.data() + Index(haplotype) * words_;
    const size_t word = first / 64, shift = first % 64;
    uint64_t bits = row[word] >> shift;
    if (shift != 0 && word + 1 < words_) bits |= row[word + 1] << (64 - shift);
    return bits;
  }

  // Fetches what Bits() will read.
  void Prefetch(size_t haplotype, size_t first) const {
    __builtin_prefetch(rows_.data() + Index(haplotype) * words_ + first / 64);
  }

  // Alleles of haplotypes [64 * begin, 64 * end) at the k-th marker, as HaplotypePanel::bits().
  void CopyWords(size_t k, size_t begin, size_t end, uint64_t* out) const;

  size_t MemoryBytes() const;

 private:
  size_t Index(size_t haplotype) const { return narrow_.empty() ? wide_[haplotype] : narrow_[haplotype]; }
  void CopyColumns();

  size_t num_markers_;
  size_t num_haplotypes_;
  size_t words_;                // of a row
  std::vector<uint64_t> rows_;  // [distinct, words_]
  size_t column_words_ = 0;
  std::vector<uint64_t> columns_;  // [markers, column_words_] the same by marker
  std::vector<uint16_t> narrow_;   // [haplotypes] the row of each, if they are few enough
  std::vector<uint32_t> wide_;     // the same otherwise
};

// Whether a marker of a panel is found faster in the lists of rare alleles of each haplotype than among bits.
bool IsListed(const HaplotypePanel& panel, size_t marker);

}  // namespace haplospin
