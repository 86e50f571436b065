#include "genotypes/genomics/distinct_haplotypes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kMaxRowWords = DistinctHaplotypes::kMaxMarkers / 64;
constexpr size_t kTile = kSquareSize * kNumSquares;  // haplotypes that are transposed at the same time

// Numbers distinct rows in the order in which they appear.
class RowNumbers {
 public:
  RowNumbers(size_t words, std::vector<uint64_t>& rows) : words_(words), rows_(rows), slots_(kFirstSlots, kEmpty) {}

  uint32_t Number(const uint64_t* row) {
    if (2 * size_ >= slots_.size()) Grow();
    uint32_t& slot = Find(row);
    if (slot == kEmpty) {
      rows_.insert(rows_.end(), row, row + words_);
      slot = size_++;
    }
    return slot;
  }

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;
  static constexpr size_t kFirstSlots = 1 << 12;  // a power of two, as after Grow()

  size_t Hash(const uint64_t* row) const {
    uint64_t hash = 0;
    for (size_t w = 0; w < words_; ++w) {
      hash = (hash ^ row[w]) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 32;
    }
    return hash;
  }

  // A row has few words: a call of memcmp, as std::equal makes, takes longer.
  bool IsEqual(const uint64_t* a, const uint64_t* b) const {
    uint64_t difference = 0;
    for (size_t w = 0; w < words_; ++w) difference |= a[w] ^ b[w];
    return difference == 0;
  }

  // Returns the slot of the row, or the one where it belongs.
  uint32_t& Find(const uint64_t* row) {
    size_t at = Hash(row) & (slots_.size() - 1);
    while (slots_[at] != kEmpty && !IsEqual(row, rows_.data() + slots_[at] * words_)) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return slots_[at];
  }

  void Grow() {
    slots_.assign(4 * slots_.size(), kEmpty);
    for (uint32_t k = 0; k < size_; ++k) Find(rows_.data() + k * words_) = k;
  }

  const size_t words_;
  std::vector<uint64_t>& rows_;
  std::vector<uint32_t> slots_;  // numbers of rows
  uint32_t size_ = 0;
};

}  // namespace

DistinctHaplotypes::DistinctHaplotypes(const HaplotypePanel& panel, std::span<const uint32_t> markers)
    : num_markers_(markers.size()), words_(WordsOfRow(markers.size())) {
  HS_ASSERT(num_markers_ >= 1 && num_markers_ <= kMaxMarkers);
  const size_t num_haplotypes = panel.num_haplotypes();
  const size_t panel_words = panel.words_per_marker();
  std::vector<std::vector<uint64_t>> copies(num_markers_);  // bits of the markers that have none
  std::vector<const uint64_t*> sites(num_markers_);
  for (size_t k = 0; k < num_markers_; ++k) {
    const PanelRow& row = panel.storage().rows[markers[k]];
    if (!row.has_bits()) {
      copies[k].resize(panel_words);
      panel.CopyBits(markers[k], copies[k].data());
    }
    sites[k] = row.has_bits() ? row.bits().data() : copies[k].data();
  }
  RowNumbers numbers(words_, rows_);
  std::vector<uint32_t> row_of(num_haplotypes);
  std::array<BitSquares, kMaxRowWords> squares;
  for (size_t first = 0; first < num_haplotypes; first += kTile) {
    const size_t width = std::min(kNumSquares, panel_words - first / 64);
    for (size_t w = 0; w < words_; ++w) {
      squares[w].fill({});
      const size_t count = std::min(kSquareSize, num_markers_ - w * kSquareSize);
      for (size_t k = 0; k < count; ++k) {
        std::copy_n(sites[w * kSquareSize + k] + first / 64, width, squares[w][k].begin());
      }
      Transpose(squares[w]);
    }
    std::array<uint64_t, kMaxRowWords> row;
    for (size_t h = first; h < std::min(first + kTile, num_haplotypes); ++h) {
      for (size_t w = 0; w < words_; ++w) row[w] = squares[w][h % kSquareSize][(h - first) / kSquareSize];
      row_of[h] = numbers.Number(row.data());
    }
  }
  rows_.shrink_to_fit();
  row_of_ = RowIndices(num_haplotypes, num_distinct());
  row_of_.Visit([&](auto& indices) { indices.assign(row_of.begin(), row_of.end()); });
  TransposeRows();
}

DistinctHaplotypes::DistinctHaplotypes(size_t num_markers, std::vector<uint64_t> rows, RowIndices row_of)
    : num_markers_(num_markers), words_(WordsOfRow(num_markers)), rows_(std::move(rows)), row_of_(std::move(row_of)) {
  HS_ASSERT(num_markers_ >= 1 && num_markers_ <= kMaxMarkers && rows_.size() % words_ == 0);
  TransposeRows();
}

void DistinctHaplotypes::TransposeRows() {
  column_words_ = WordsOf(num_distinct());
  columns_.resize(num_markers_ * column_words_);
  BitSquares squares;
  for (size_t w = 0; w < words_; ++w) {
    const size_t count = std::min(kSquareSize, num_markers_ - w * kSquareSize);
    for (size_t first = 0; first < num_distinct(); first += kTile) {
      squares.fill({});
      for (size_t r = first; r < std::min(first + kTile, num_distinct()); ++r) {
        squares[r % kSquareSize][(r - first) / kSquareSize] = rows_[r * words_ + w];
      }
      Transpose(squares);
      const size_t width = std::min(kNumSquares, column_words_ - first / 64);
      for (size_t k = 0; k < count; ++k) {
        std::copy_n(squares[k].begin(), width, &columns_[(w * kSquareSize + k) * column_words_ + first / 64]);
      }
    }
  }
}

std::vector<uint32_t> DistinctHaplotypes::AltCounts() const {
  std::vector<uint32_t> haplotypes(num_distinct());  // [rows] haplotypes with it
  row_of_.Visit([&](const auto& indices) {
    for (const size_t r : indices) ++haplotypes[r];
  });
  std::vector<uint32_t> counts(num_markers_);
  for (size_t r = 0; r < num_distinct(); ++r) {
    for (size_t w = 0; w < words_; ++w) {
      for (uint64_t word = rows_[r * words_ + w]; word != 0; word &= word - 1) {
        counts[64 * w + static_cast<size_t>(std::countr_zero(word))] += haplotypes[r];
      }
    }
  }
  return counts;
}

void DistinctHaplotypes::CopyWords(size_t k, size_t begin, size_t end, uint64_t* out) const {
  const uint64_t* column = &columns_[k * column_words_];
  row_of_.Visit([&](const auto& indices) {
    for (size_t word = begin; word < end; ++word) {
      const size_t count = std::min<size_t>(64, num_haplotypes() - 64 * word);
      uint64_t bits = 0;
      for (size_t i = 0; i < count; ++i) {
        const size_t index = indices[64 * word + i];
        bits |= (column[index / 64] >> index % 64 & 1) << i;
      }
      *out++ = bits;
    }
  });
}

void DistinctHaplotypes::CopyColumns(size_t word, const std::array<uint64_t*, kSquareSize>& out) const {
  const uint64_t* const words = rows_.data() + word;
  BitSquares squares;
  row_of_.Visit([&](const auto& indices) {
    for (size_t first = 0; first < num_haplotypes(); first += kTile) {
      const size_t count = std::min(kTile, num_haplotypes() - first);
      if (count < kTile) squares.fill({});
      for (size_t i = 0; i < count; ++i) {
        squares[i % kSquareSize][i / kSquareSize] = words[indices[first + i] * words_];
      }
      Transpose(squares);
      for (size_t k = 0; k < kSquareSize; ++k) {
        if (out[k] != nullptr) std::copy_n(squares[k].begin(), WordsOf(count), out[k] + first / 64);
      }
    }
  });
}

size_t DistinctHaplotypes::MemoryBytes() const {
  return sizeof(*this) + (rows_.capacity() + columns_.capacity()) * sizeof(uint64_t) + row_of_.MemoryBytes();
}

HaplotypeMajorBits::HaplotypeMajorBits(const HaplotypePanel& panel, std::span<const uint32_t> markers)
    : words_(WordsOf(markers.size())), bits_(panel.num_haplotypes() * words_) {
  const size_t panel_words = panel.words_per_marker();
  std::vector<uint64_t> rows(kSquareSize * panel_words);
  for (size_t word = 0; word < words_; ++word) {
    const size_t count = std::min(kSquareSize, markers.size() - word * kSquareSize);
    for (size_t k = 0; k < count; ++k) panel.CopyBits(markers[word * kSquareSize + k], rows.data() + k * panel_words);
    TransposeRows(std::span(rows).first(count * panel_words), panel_words, panel.num_haplotypes(), bits_.data() + word,
                  words_);
  }
}

}  // namespace haplospin
