#include "genotypes/variant_io/panel_file/panel_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "genotypes/genomics/sites/region.h"

namespace haplospin {
namespace {

// The types of markers, one byte each. The bit is added to that of a further ALT of the record of the marker before.
enum Kind : uint8_t { kCommon = 0, kRareAlt = 1, kRareRef = 2 };
constexpr uint8_t kContinuesRecord = 4;

constexpr size_t kGroup = DistinctHaplotypes::kMaxMarkers;  // common markers, fewer in the last group of a block

// The number of bytes of an index in a file, with `count` values; 0 for one value.
size_t BytesOfIndex(size_t count) { return count == 0 ? 0 : (static_cast<size_t>(std::bit_width(count - 1)) + 7) / 8; }

// Appends the carriers of rare markers: how many each marker has, and then the distances between them, the lowest byte
// of all distances before the next byte of all. Most of the upper bytes are zero, which takes zstd little room and less
// time than varints would.
void AppendCarriers(const HaplotypePanel& panel, size_t begin, size_t end, std::string& bytes) {
  std::vector<uint32_t> distances;
  for (size_t m = begin; m < end; ++m) {
    if (!panel.is_rare(m)) continue;
    AppendVarint(panel.carriers(m).size(), bytes);
    uint32_t next = 0;  // lowest index of the next carrier
    for (const uint32_t carrier : panel.carriers(m)) {
      distances.push_back(carrier - next);
      next = carrier + 1;
    }
  }
  for (size_t byte = 0; byte < BytesOfIndex(panel.num_haplotypes()); ++byte) {
    for (const uint32_t distance : distances) bytes += static_cast<char>(distance >> 8 * byte);
  }
}

// Appends the distinct haplotypes of a group of common markers: their number, their rows of bits, and the index of each
// haplotype's row, the lowest byte of all indices before the next byte of all.
void AppendGroup(const DistinctHaplotypes& group, std::string& bytes) {
  AppendVarint(group.num_distinct(), bytes);
  const size_t row_bytes = (group.num_markers() + 7) / 8;
  for (size_t r = 0; r < group.num_distinct(); ++r) {
    for (size_t byte = 0; byte < row_bytes; ++byte) bytes += static_cast<char>(group.row(r)[byte / 8] >> byte % 8 * 8);
  }
  for (size_t byte = 0; byte < BytesOfIndex(group.num_distinct()); ++byte) {
    for (size_t h = 0; h < group.num_haplotypes(); ++h) bytes += static_cast<char>(group.row_of(h) >> 8 * byte);
  }
}

// Reads what AppendGroup() wrote.
std::shared_ptr<const DistinctHaplotypes> ReadGroup(size_t num_markers, size_t num_haplotypes, ByteReader& reader) {
  const size_t num_rows = reader.Varint(num_haplotypes);
  const size_t row_bytes = (num_markers + 7) / 8, row_words = DistinctHaplotypes::WordsOfRow(num_markers);
  const std::string_view bits = reader.Take(num_rows * row_bytes);
  std::vector<uint64_t> rows(num_rows * row_words);
  for (size_t r = 0; r < num_rows; ++r) {
    for (size_t byte = 0; byte < row_bytes; ++byte) {
      rows[r * row_words + byte / 8] |= uint64_t{static_cast<uint8_t>(bits[r * row_bytes + byte])} << byte % 8 * 8;
    }
    if (num_markers % 64 != 0 && rows[(r + 1) * row_words - 1] >> num_markers % 64 != 0) reader.Fail();
  }
  RowIndices row_of(num_haplotypes, num_rows);
  row_of.Visit([&]<typename Index>(std::vector<Index>& indices) {
    for (size_t byte = 0; byte < BytesOfIndex(num_rows); ++byte) {
      const std::string_view plane = reader.Take(num_haplotypes);
      for (size_t h = 0; h < num_haplotypes; ++h) {
        indices[h] = static_cast<Index>(indices[h] | Index{static_cast<uint8_t>(plane[h])} << 8 * byte);
      }
    }
    if (num_haplotypes > 0 && *std::ranges::max_element(indices) >= num_rows) reader.Fail();
  });
  return std::make_shared<const DistinctHaplotypes>(num_markers, std::move(rows), std::move(row_of));
}

}  // namespace

std::string EncodePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end) {
  std::string bytes;
  int64_t position = panel.marker(begin).position;
  for (size_t m = begin; m < end; ++m) {
    AppendVarint(static_cast<uint64_t>(panel.marker(m).position - position), bytes);
    position = panel.marker(m).position;
  }
  std::vector<uint32_t> common;
  for (size_t m = begin; m < end; ++m) {
    const uint8_t kind = !panel.is_rare(m) ? kCommon : panel.minor_is_alt(m) ? kRareAlt : kRareRef;
    bytes += static_cast<char>(kind | (panel.marker(m).continues_record ? kContinuesRecord : 0));
    if (!panel.is_rare(m)) common.push_back(static_cast<uint32_t>(m));
  }
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).id, bytes);
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).ref, bytes);
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).alt, bytes);
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).info, bytes);
  AppendCarriers(panel, begin, end, bytes);
  for (size_t first = 0; first < common.size(); first += kGroup) {
    const std::span<const uint32_t> group = std::span(common).subspan(first, std::min(kGroup, common.size() - first));
    AppendGroup(DistinctHaplotypes(panel, group), bytes);
  }
  return bytes;
}

PanelBlockEntry DescribePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end) {
  PanelBlockEntry entry;
  entry.first_position = panel.marker(begin).position;
  entry.last_position = panel.marker(end - 1).position;
  entry.num_markers = static_cast<uint32_t>(end - begin);
  for (size_t m = begin; m < end; ++m) {
    if (!panel.is_rare(m)) continue;
    ++entry.num_rare;
    entry.num_carriers += panel.carriers(m).size();
  }
  return entry;
}

void PanelBlock::Assign(std::string_view bytes, const PanelBlockEntry& entry, size_t num_haplotypes,
                        const std::string& message) {
  ByteReader reader(bytes, message);
  ReadRows(ReadSites(entry, reader), num_haplotypes, reader);
  if (num_common_ != entry.num_markers - entry.num_rare || carriers_.size() != entry.num_carriers) reader.Fail();
  ReadCarriers(num_haplotypes, reader);
  ReadGroups(num_haplotypes, reader);
  if (reader.num_left() != 0) reader.Fail();
}

void PanelBlock::AssignSites(std::string_view bytes, const PanelBlockEntry& entry, const std::string& message) {
  ByteReader reader(bytes, message);
  ReadSites(entry, reader);
}

// Returns how the alleles of each marker are stored.
std::string_view PanelBlock::ReadSites(const PanelBlockEntry& entry, ByteReader& reader) {
  num_common_ = 0;
  rows_.clear();
  if (entry.num_markers > reader.num_left()) reader.Fail();
  markers_.resize(entry.num_markers);
  int64_t position = entry.first_position;
  for (Marker& marker : markers_) {
    position += static_cast<int64_t>(reader.Varint(static_cast<uint64_t>(entry.last_position - position)));
    marker.position = position;
  }
  if (markers_.front().position != entry.first_position || position != entry.last_position) reader.Fail();
  const std::string_view kinds = reader.Take(entry.num_markers);
  for (size_t m = 0; m < markers_.size(); ++m) markers_[m].continues_record = (kinds[m] & kContinuesRecord) != 0;
  for (Marker& marker : markers_) marker.id = reader.Text();
  for (Marker& marker : markers_) marker.ref = reader.Text();
  for (Marker& marker : markers_) marker.alt = reader.Text();
  if (entry.has_info) {
    for (Marker& marker : markers_) marker.info = reader.Text();
  } else {
    ReadEndsAndLengths(reader);
  }
  return kinds;
}

// Reads what markers had before version 8: END less the position plus 1, or 0 for none; and twice SVLEN, or minus twice
// that less 1 where it is negative.
void PanelBlock::ReadEndsAndLengths(ByteReader& reader) {
  constexpr uint64_t kMaxLengthCode = (uint64_t{1} << 32) - 1;
  for (Marker& marker : markers_) {
    const uint64_t code = reader.Varint(static_cast<uint64_t>(kMaxPosition - marker.position) + 1);
    marker.info = code == 0 ? "" : fmt::format("END={}", marker.position + static_cast<int64_t>(code) - 1);
  }
  for (Marker& marker : markers_) {
    const uint64_t code = reader.Varint(kMaxLengthCode);
    if (code == 0) continue;
    const auto half = static_cast<int64_t>((code + 1) / 2);
    marker.info += fmt::format("{}SVLEN={}", marker.info.empty() ? "" : ";", code % 2 == 0 ? half : -half);
  }
}

// The location of the alleles of each marker, and its number of carriers.
void PanelBlock::ReadRows(std::string_view kinds, size_t num_haplotypes, ByteReader& reader) {
  rows_.reserve(kinds.size());
  size_t num_carriers = 0;
  for (const char byte : kinds) {
    const int kind = static_cast<uint8_t>(byte) & ~kContinuesRecord;
    if (kind == kCommon) {
      rows_.push_back({true, false, 0, num_common_++});
      continue;
    }
    if (kind != kRareAlt && kind != kRareRef) reader.Fail();
    const size_t size = reader.Count();
    if (!MutablePanel::IsRare(size, num_haplotypes)) reader.Fail();
    rows_.push_back({false, kind == kRareAlt, static_cast<uint32_t>(size), num_carriers});
    num_carriers += size;
  }
  if (num_carriers > reader.num_left()) reader.Fail();
  carriers_.assign(num_carriers, 0);
}

// Reads what AppendCarriers() wrote.
void PanelBlock::ReadCarriers(size_t num_haplotypes, ByteReader& reader) {
  for (size_t byte = 0; byte < BytesOfIndex(num_haplotypes); ++byte) {
    const std::string_view plane = reader.Take(carriers_.size());
    for (size_t i = 0; i < plane.size(); ++i) carriers_[i] |= uint32_t{static_cast<uint8_t>(plane[i])} << 8 * byte;
  }
  for (const Row& row : rows_) {
    uint64_t next = 0;
    for (uint32_t& carrier : std::span(carriers_).subspan(row.is_common ? 0 : row.first, row.size)) {
      next += uint64_t{carrier} + 1;
      carrier = static_cast<uint32_t>(next - 1);
    }
    if (next > num_haplotypes) reader.Fail();  // the last carrier, and so any other, is too high
  }
}

void PanelBlock::ReadGroups(size_t num_haplotypes, ByteReader& reader) {
  groups_.clear();
  alt_counts_.clear();
  for (size_t first = 0; first < num_common_; first += kGroup) {
    groups_.push_back(ReadGroup(std::min(kGroup, num_common_ - first), num_haplotypes, reader));
    for (const uint32_t alt_count : groups_.back()->AltCounts()) {
      if (MutablePanel::IsRare(std::min<size_t>(alt_count, num_haplotypes - alt_count), num_haplotypes)) reader.Fail();
      alt_counts_.push_back(alt_count);
    }
  }
}

bool PanelBlock::IsDescribedBy(const DescribedInfo& described) const {
  return std::ranges::all_of(markers_, [&](const Marker& marker) { return described.DeclaresAll(marker.info); });
}

void PanelBlock::MoveTo(size_t m, MutablePanel& panel) {
  if (rows_.empty()) return panel.Append(std::move(markers_[m]), nullptr);
  const Row& row = rows_[m];
  if (row.is_common) {
    panel.AppendColumn(std::move(markers_[m]), groups_[row.first / kGroup], row.first % kGroup, alt_counts_[row.first]);
  } else {
    panel.AppendCarriers(std::move(markers_[m]), {carriers_.data() + row.first, row.size}, row.minor_is_alt);
  }
}

}  // namespace haplospin
