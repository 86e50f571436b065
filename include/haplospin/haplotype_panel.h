// Phased haplotypes in memory: bits or distinct haplotypes for common markers, carrier lists for rare ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "haplospin/marker.h"

namespace haplospin {

class DistinctHaplotypes;

// The samples that the haplotypes belong to. A haploid sample has one haplotype, a diploid sample two adjacent ones.
struct SampleTable {
  std::vector<std::string> names;
  std::vector<uint32_t> first_haplotype;  // of each sample, plus one past the end: names.size() + 1 entries

  static SampleTable Diploid(std::vector<std::string> names);

  size_t num_samples() const { return names.size(); }
  size_t num_haplotypes() const { return first_haplotype.empty() ? 0 : first_haplotype.back(); }
  std::vector<uint32_t> SampleOfHaplotype() const;
  int ploidy(size_t sample) const { return static_cast<int>(first_haplotype[sample + 1] - first_haplotype[sample]); }
};

// Markers in the order of the file, haplotypes in the order of the samples. Alleles are 0 (REF or another ALT) and 1.
// Can be moved but not copied.
class HaplotypePanel {
 public:
  HaplotypePanel(std::string contig, SampleTable samples);
  HaplotypePanel(HaplotypePanel&&) noexcept = default;
  HaplotypePanel& operator=(HaplotypePanel&&) noexcept = default;

  const std::string& contig() const { return contig_; }
  const SampleTable& samples() const { return samples_; }
  size_t num_haplotypes() const { return num_haplotypes_; }
  size_t num_markers() const { return markers_.size(); }
  size_t words_per_marker() const { return (num_haplotypes_ + 63) / 64; }
  const Marker& marker(size_t m) const { return markers_[m]; }

  uint32_t alt_count(size_t m) const { return rows_[m].alt_count; }

  // Rare markers are stored as the ascending haplotypes that carry the minor allele, the others as bits or in a group.
  // A marker is rare if at most one haplotype in 64 carries the minor allele.
  static bool IsRare(size_t minor_count, size_t num_haplotypes) { return 64 * minor_count <= num_haplotypes; }
  bool is_rare(size_t m) const { return rows_[m].is_rare; }
  bool minor_is_alt(size_t m) const { return 2 * size_t{rows_[m].alt_count} <= num_haplotypes_; }
  std::span<const uint32_t> carriers(size_t m) const;  // rare markers only
  std::span<const uint64_t> bits(size_t m) const;      // common markers only; bit h % 64 of word h / 64 is haplotype h
  // Whether bits() may be called: of common markers from Append() up to AddGroups(), and after KeepBits().
  bool has_bits(size_t m) const { return !rows_[m].is_rare && rows_[m].data != nullptr; }

  // The alleles of any marker as words_per_marker() words; bits beyond the last haplotype are 0.
  void CopyBits(size_t m, uint64_t* out) const;
  // Words `begin` to `end` (not included) of these, for common markers.
  void CopyWords(size_t m, size_t begin, size_t end, uint64_t* out) const;
  int allele(size_t m, size_t haplotype) const;

  // Appends a marker; `bits` has words_per_marker() words, and bits beyond the last haplotype are 0.
  void Append(Marker marker, const uint64_t* bits);

  // The same for a marker whose minor allele (REF or ALT) is that of the ascending `carriers`: at most half of the
  // haplotypes, and if exactly half, ALT.
  void AppendCarriers(Marker marker, std::span<const uint32_t> carriers, bool minor_is_alt);

  // The same for a common marker that is the `column`-th one of a group. The markers of a group are appended one after
  // the other, in its order.
  void AppendColumn(Marker marker, std::shared_ptr<const DistinctHaplotypes> group, size_t column, uint32_t alt_count);

  // Stores distinct haplotypes in place of the bits of common markers, to save memory. The markers of a group are
  // ascending and in no other group. All common markers from first_ungrouped() on must be in a group afterwards.
  struct Group {
    std::shared_ptr<const DistinctHaplotypes> haplotypes;
    std::vector<uint32_t> markers;
  };
  void AddGroups(std::vector<Group> groups);

  // Gives those of the ascending `markers` that are in a group bits besides.
  void KeepBits(std::span<const uint32_t> markers);

  // Where a marker is in a group; null if it is in none.
  struct GroupColumn {
    const DistinctHaplotypes* haplotypes = nullptr;
    size_t index = 0;  // among the markers of the group
  };
  GroupColumn group_column(size_t m) const { return {rows_[m].group, rows_[m].column}; }

  // The first marker that was not there in the last AddGroups().
  size_t first_ungrouped() const { return num_grouped_ - num_dropped_; }

  // Removes the markers before `first`; indices decrease by `first`. Takes time proportional to the number removed.
  void DropBefore(size_t first);

  // Memory of this panel in bytes.
  size_t MemoryBytes() const;

 private:
  struct Row {
    const void* data;  // uint32_t carriers or uint64_t words, in a block; null if only its group has the alleles
    uint32_t size;     // entries
    uint32_t alt_count;
    bool is_rare;
    const DistinctHaplotypes* group = nullptr;  // in groups_
    uint32_t column = 0;
  };
  // Rows are stored one after the other in blocks, which are freed once all their rows are dropped.
  struct Block {
    struct Free {
      void operator()(uint64_t* words) const { std::free(words); }
    };
    std::unique_ptr<uint64_t[], Free> words;
    size_t capacity;
    size_t used;
    size_t last_row;  // counted from the first marker ever appended
  };

  struct OwnedGroup {
    std::shared_ptr<const DistinctHaplotypes> haplotypes;
    size_t last_row;
  };

  uint64_t* Allocate(size_t words, size_t row, std::deque<Block>& blocks);
  void SetBits(std::span<const uint32_t> carriers, bool minor_is_alt, uint64_t* out) const;
  bool IsRare(size_t minor_count) const { return IsRare(minor_count, num_haplotypes_); }

  std::string contig_;
  SampleTable samples_;
  size_t num_haplotypes_;
  size_t num_dropped_ = 0;
  size_t num_grouped_ = 0;  // markers that were there in the last AddGroups(), counted as last_row
  std::deque<Marker> markers_;
  std::deque<Row> rows_;
  std::deque<Block> blocks_;         // of rare markers, and of those of KeepBits()
  std::deque<Block> common_blocks_;  // of common markers that were not there in the last AddGroups()
  std::deque<OwnedGroup> groups_;
};

// The first marker at or after `position` (bp), or num_markers() where there is none. The panel must be sorted.
size_t FirstMarkerAtOrAfter(const HaplotypePanel& panel, int64_t position);

}  // namespace haplospin
