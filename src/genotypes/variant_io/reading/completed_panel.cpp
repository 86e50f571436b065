#include "genotypes/variant_io/reading/completed_panel.h"

#include <bit>

#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"

namespace haplospin {

std::optional<std::string> CompletedPanel::NextContig() {
  return HasNext() ? std::optional(read_->contig()) : panel_->NextContig();
}

std::optional<int64_t> CompletedPanel::NextPosition() {
  return HasNext() ? std::optional(rows_[next_].marker.position) : panel_->NextPosition();
}

void CompletedPanel::SkipContig() {
  const bool is_begun = HasNext();
  rows_.clear();
  next_ = 0;
  if (!is_begun || has_more_) panel_->SkipContig();
}

void CompletedPanel::Seek(const Region& region) {
  rows_.clear();
  next_ = 0;
  panel_->Seek(region);
}

MutablePanel CompletedPanel::StartContig() {
  rows_.clear();
  next_ = 0;
  read_.emplace(panel_->StartContig());
  has_more_ = true;
  num_haplotypes_ = read_->num_haplotypes();
  return {read_->contig(), read_->samples()};
}

bool CompletedPanel::ReadUntil(int64_t position, MutablePanel& panel) {
  HS_ASSERT(read_.has_value());
  for (;;) {
    while (has_more_ && rows_.size() <= next_ + kFlank) ReadAhead();
    if (!HasNext()) return false;
    Row& row = rows_[next_];
    if (row.marker.position > position) return true;
    Complete(next_);
    panel.Append(row.marker, row.bits.data());
    ++next_;
    if (next_ <= kFlank) continue;
    rows_.pop_front();
    --next_;
  }
}

// Reads the markers of the next position.
void CompletedPanel::ReadAhead() {
  const std::optional<int64_t> position = panel_->NextPosition();
  has_more_ = position.has_value() && panel_->ReadUntil(*position, *read_);
  std::vector<MissingAtMarker> missing = panel_->TakeMissing();
  auto next_missing = missing.begin();
  for (size_t m = 0; m < read_->num_markers(); ++m) {
    Row& row = rows_.emplace_back(Row{read_->marker(m), std::vector<uint64_t>(read_->words_per_marker()), {}});
    read_->CopyBits(m, row.bits.data());
    if (next_missing != missing.end() && next_missing->marker == m)
      row.missing = std::move((next_missing++)->haplotypes);
  }
  read_->DropBefore(read_->num_markers());
}

void CompletedPanel::Complete(size_t row) {
  counts_.alleles += num_haplotypes_;
  const std::vector<uint64_t>& missing = rows_[row].missing;
  if (missing.empty()) return;
  ++counts_.markers;
  counts_.missing += CountBits(missing);
  std::vector<uint64_t> imputed = rows_[row].bits;
  for (size_t h = 0; h < num_haplotypes_; ++h) {
    if (HasBit(missing, h) && ImputedAllele(row, h)) SetBit(imputed, h);
  }
  rows_[row].bits = std::move(imputed);
}

bool CompletedPanel::ImputedAllele(size_t row, size_t haplotype) {
  matching_ = rows_[row].missing;
  for (uint64_t& word : matching_) word = ~word;
  matching_.back() &= LastWordMask(num_haplotypes_);
  bool goes_left = true, goes_right = true;
  for (size_t step = 1; step <= kFlank && (goes_left || goes_right); ++step) {
    goes_left = goes_left && step <= row && Keep(rows_[row - step], haplotype);
    goes_right = goes_right && row + step < rows_.size() && Keep(rows_[row + step], haplotype);
  }
  size_t alts = 0;
  for (size_t w = 0; w < matching_.size(); ++w) {
    alts += static_cast<size_t>(std::popcount(matching_[w] & rows_[row].bits[w]));
  }
  return 2 * alts > CountBits(matching_);
}

// Keeps the matching haplotypes that also have the allele at a neighbor, if there are enough of them. Returns whether
// there are. An allele that is not known there is no difference.
bool CompletedPanel::Keep(const Row& neighbor, size_t haplotype) {
  if (!neighbor.missing.empty() && HasBit(neighbor.missing, haplotype)) return true;
  const uint64_t other = HasBit(neighbor.bits, haplotype) ? 0 : ~uint64_t{0};
  kept_.resize(matching_.size());
  for (size_t w = 0; w < matching_.size(); ++w) {
    const uint64_t unknown = neighbor.missing.empty() ? 0 : neighbor.missing[w];
    kept_[w] = matching_[w] & ((neighbor.bits[w] ^ other) | unknown);
  }
  if (CountBits(kept_) < kMinMatches) return false;
  std::swap(matching_, kept_);
  return true;
}

}  // namespace haplospin
