// A panel that is read piece by piece: markers are appended at its end and dropped from its front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/distinct_haplotypes.h"
#include "genotypes/genomics/panel_storage.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// A panel that can be changed. References and spans that its functions returned are valid until DropBefore() removes
// their marker.
class MutablePanel : public HaplotypePanel {
 public:
  // A panel without markers.
  MutablePanel(std::string contig, SampleTable samples) : HaplotypePanel(std::move(contig), std::move(samples)) {}
  explicit MutablePanel(HaplotypePanel panel) : HaplotypePanel(std::move(panel)) {}

  // Returns whether a marker with this number of minor alleles is stored as a list of carriers.
  static bool IsRare(size_t minor_count, size_t num_haplotypes) { return 64 * minor_count <= num_haplotypes; }

  // Appends a marker; `bits` has words_per_marker() words, and bits beyond the last haplotype are 0.
  void Append(Marker marker, const uint64_t* bits);

  // Appends a marker whose minor allele, REF or ALT, is that of the ascending `carriers`: at most half of the
  // haplotypes, and if exactly half, ALT.
  void AppendCarriers(Marker marker, std::span<const uint32_t> carriers, bool minor_is_alt);

  // Appends a copy of marker m of a panel with as many haplotypes.
  void AppendFrom(const HaplotypePanel& panel, size_t m);

  // Appends a common marker that is the `column`-th one of a group. The markers of a group are appended one after the
  // other, in its order.
  void AppendColumn(Marker marker, std::shared_ptr<const DistinctHaplotypes> group, size_t column, uint32_t alt_count);

  // Stores distinct haplotypes in place of the bits of common markers, to save memory. The markers of a group are
  // ascending and in no other group. All common markers from first_ungrouped() on must be in a group afterwards.
  struct Group {
    std::shared_ptr<const DistinctHaplotypes> haplotypes;
    std::vector<uint32_t> markers;
  };
  void AddGroups(std::vector<Group> groups);

  // The first marker that was appended after the last AddGroups().
  size_t first_ungrouped() const;

  // Stores bits as well for those of the ascending `markers` that are in a group, so that CopyBits() is faster.
  void KeepBits(std::span<const uint32_t> markers);

  // Returns whether a marker has bits: a common marker until AddGroups(), and after KeepBits().
  bool has_bits(size_t m) const { return storage().rows[m].has_bits(); }

  // Removes the markers before `first`; indices decrease by `first`. Takes time proportional to the number removed.
  void DropBefore(size_t first);

 private:
  uint64_t* AppendRow(Marker marker, uint32_t alt_count);
  uint64_t* Allocate(size_t words, size_t m, std::deque<PanelStorage::Block>& blocks);
};

}  // namespace haplospin
