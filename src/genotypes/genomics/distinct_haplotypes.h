// The alleles of a panel's haplotypes as rows of bits, one for each haplotype, or one for each distinct sequence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/panel_storage.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The row of each haplotype, in two bytes if there are few enough rows.
class RowIndices {
 public:
  RowIndices() = default;
  RowIndices(size_t num_haplotypes, size_t num_rows)
      : narrow_(num_rows <= kMaxNarrow ? num_haplotypes : 0), wide_(num_rows <= kMaxNarrow ? 0 : num_haplotypes) {}

  size_t size() const { return narrow_.size() + wide_.size(); }
  size_t operator[](size_t haplotype) const { return narrow_.empty() ? wide_[haplotype] : narrow_[haplotype]; }

  // Calls function(vector), with integers of either size.
  template <typename Function>
  auto Visit(const Function& function) {
    return narrow_.empty() ? function(wide_) : function(narrow_);
  }
  template <typename Function>
  auto Visit(const Function& function) const {
    return narrow_.empty() ? function(wide_) : function(narrow_);
  }

  size_t MemoryBytes() const { return narrow_.capacity() * sizeof(uint16_t) + wide_.capacity() * sizeof(uint32_t); }

 private:
  static constexpr size_t kMaxNarrow = size_t{UINT16_MAX} + 1;

  std::vector<uint16_t> narrow_;
  std::vector<uint32_t> wide_;
};

// A large panel has few distinct haplotypes within a few hundred markers. They take a fraction of the memory of its
// alleles (the idea of the m3vcf and bref3 formats), and each is a row of bits, for lookups by haplotype.
class DistinctHaplotypes {
 public:
  static constexpr size_t kMaxMarkers = 256;

  // `markers` of the panel, ascending, at least one and at most kMaxMarkers.
  DistinctHaplotypes(const HaplotypePanel& panel, std::span<const uint32_t> markers);

  // `rows` as words of row() one after the other; `row_of` has indices of these.
  DistinctHaplotypes(size_t num_markers, std::vector<uint64_t> rows, RowIndices row_of);

  // The place of a panel's marker in a group of distinct haplotypes; null if it is in none.
  struct Column {
    const DistinctHaplotypes* haplotypes = nullptr;
    size_t index = 0;  // place among the markers of the group
  };
  static Column FindColumn(const HaplotypePanel& panel, size_t m) {
    return {panel.storage().rows[m].group, panel.storage().rows[m].column};
  }

  size_t num_markers() const { return num_markers_; }
  size_t num_haplotypes() const { return row_of_.size(); }
  size_t num_distinct() const { return rows_.size() / words_; }

  // Alleles at the markers, one bit each, lowest first, in WordsOfRow(num_markers()) words; 0 beyond the last marker.
  // The constructor from a panel numbers rows in the order of their first haplotypes.
  std::span<const uint64_t> row(size_t r) const { return std::span(rows_).subspan(r * words_, words_); }
  size_t row_of(size_t haplotype) const { return row_of_[haplotype]; }
  static size_t WordsOfRow(size_t num_markers) { return (num_markers + 63) / 64; }

  // [markers] the number of haplotypes with ALT.
  std::vector<uint32_t> AltCounts() const;

  // Alleles of a haplotype at the markers from the `first`-th on, one bit each, lowest first; 0 beyond the last marker.
  uint64_t Bits(size_t haplotype, size_t first) const {
    const uint64_t* row = rows_.data() + row_of_[haplotype] * words_;
    const size_t word = first / 64, shift = first % 64;
    uint64_t bits = row[word] >> shift;
    if (shift != 0 && word + 1 < words_) bits |= row[word + 1] << (64 - shift);
    return bits;
  }

  // Fetches what Bits() will read.
  void Prefetch(size_t haplotype, size_t first) const {
    __builtin_prefetch(rows_.data() + row_of_[haplotype] * words_ + first / 64);
  }

  // Alleles of haplotypes [64 * begin, 64 * end) at the k-th marker, as HaplotypePanel::CopyWords().
  void CopyWords(size_t k, size_t begin, size_t end, uint64_t* out) const;

  // Copies the alleles of all haplotypes at marker 64 * word + k to out[k], unless that is null: faster than
  // CopyWords() for several markers.
  void CopyColumns(size_t word, const std::array<uint64_t*, kSquareSize>& out) const;

  size_t MemoryBytes() const;

 private:
  void TransposeRows();

  size_t num_markers_;
  size_t words_;                // words of a row
  std::vector<uint64_t> rows_;  // [distinct, words_]
  size_t column_words_ = 0;
  std::vector<uint64_t> columns_;  // [markers, column_words_] the same by marker
  RowIndices row_of_;
};

// The alleles of chosen markers: row h holds bit k % 64 of word k / 64 for the k-th of them.
class HaplotypeMajorBits {
 public:
  HaplotypeMajorBits(const HaplotypePanel& panel, std::span<const uint32_t> markers);

  const uint64_t* row(size_t haplotype) const { return bits_.data() + haplotype * words_; }

 private:
  size_t words_;
  std::vector<uint64_t> bits_;
};

}  // namespace haplospin
