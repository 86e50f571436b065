// A few thousand markers of a panel file with their alleles, as bytes. docs/panel-format.md has the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/variant_io/byte_coding.h"
#include "genotypes/variant_io/record_info.h"
#include "haplospin/marker.h"

namespace haplospin {

// The entry of a block in the index of a panel file.
struct PanelBlockEntry {
  uint64_t offset = 0;    // byte in the file
  uint64_t size = 0;      // compressed, bytes
  uint64_t raw_size = 0;  // bytes of EncodePanelBlock()
  int64_t first_position = 0;
  int64_t last_position = 0;
  uint32_t num_markers = 0;
  uint32_t num_rare = 0;
  uint64_t num_carriers = 0;  // sum over the rare markers
  bool has_info = true;       // before version 8 of the file, markers had the numbers END and SVLEN instead
};

// Largest number of markers in a block.
inline constexpr uint32_t kMaxBlockMarkers = 1 << 14;

// The maximum size of a block before compression, in bytes: 1 GiB for names and allele texts, plus the alleles. A group
// of common markers has at most as many rows as haplotypes, and neither a row nor its index takes more bytes than the
// group has markers.
inline uint64_t LargestPanelBlock(uint32_t num_markers, size_t num_haplotypes) {
  return (uint64_t{1} << 30) + uint64_t{num_markers} * 2 * (num_haplotypes + 8);
}

// Markers `begin` to `end` (not included) of a panel, before compression.
std::string EncodePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end);

// Fills in an entry except its sizes and its offset in the file.
PanelBlockEntry DescribePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end);

// A block in memory, from which markers are taken one by one.
class PanelBlock {
 public:
  // Replaces the content and reuses the memory. Throws InputError with `message` if the bytes are not a block that
  // matches `entry`.
  void Assign(std::string_view bytes, const PanelBlockEntry& entry, size_t num_haplotypes, const std::string& message);

  // Does the same, but leaves the alleles out: markers are moved to panels of no samples.
  void AssignSites(std::string_view bytes, const PanelBlockEntry& entry, const std::string& message);

  // Returns whether INFO of all markers is declared.
  bool IsDescribedBy(const DescribedInfo& described) const;

  size_t num_markers() const { return markers_.size(); }
  int64_t position(size_t m) const { return markers_[m].position; }

  // Appends marker m to a panel, and removes it here. Markers are moved in their order.
  void MoveTo(size_t m, MutablePanel& panel);

 private:
  struct Row {
    bool is_common;
    bool minor_is_alt;  // rare markers only, as is size
    uint32_t size;      // carriers
    size_t first;       // index in carriers_, or number of the common marker
  };
  std::string_view ReadSites(const PanelBlockEntry& entry, ByteReader& reader);
  void ReadEndsAndLengths(ByteReader& reader);
  void ReadRows(std::string_view kinds, size_t num_haplotypes, ByteReader& reader);
  void ReadCarriers(size_t num_haplotypes, ByteReader& reader);
  void ReadGroups(size_t num_haplotypes, ByteReader& reader);

  std::vector<Marker> markers_;
  std::vector<Row> rows_;  // [markers], or empty without alleles
  size_t num_common_ = 0;
  std::vector<uint32_t> carriers_;                                 // carriers of the rare markers
  std::vector<std::shared_ptr<const DistinctHaplotypes>> groups_;  // groups of the common markers
  std::vector<uint32_t> alt_counts_;                               // [common markers]
};

}  // namespace haplospin
