#include "variant_io/panel_file/panel_block.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "genomics/bit_transpose.h"

namespace haplospin {
namespace {

// Types of markers, one byte each.
enum Kind : uint8_t { kCommon = 0, kRareAlt = 1, kRareRef = 2 };

// The number of bytes of a haplotype index in a file.
size_t BytesOfHaplotype(size_t num_haplotypes) {
  return (static_cast<size_t>(std::bit_width(num_haplotypes - 1)) + 7) / 8;
}

// The carriers of rare markers by their distances: how many each marker has; then the lowest byte of each distance,
// then the next byte of each. Most of the upper bytes are zero, which takes zstd little room and less time than varints
// would.
void AppendCarriers(const HaplotypePanel& panel, size_t begin, size_t end, std::string& bytes) {
  std::vector<uint32_t> distances;
  for (size_t m = begin; m < end; ++m) {
    if (!panel.is_rare(m)) continue;
    AppendVarint(panel.carriers(m).size(), bytes);
    uint32_t next = 0;  // lowest that can come
    for (const uint32_t carrier : panel.carriers(m)) {
      distances.push_back(carrier - next);
      next = carrier + 1;
    }
  }
  for (size_t byte = 0; byte < BytesOfHaplotype(panel.num_haplotypes()); ++byte) {
    for (const uint32_t distance : distances) bytes += static_cast<char>(distance >> 8 * byte);
  }
}

// The `size` <= 8 bytes of a whole number.
uint64_t LittleEndian(const char* bytes, size_t size) {
  uint64_t value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    if (size == sizeof(value)) {
      std::memcpy(&value, bytes, sizeof(value));
      return value;
    }
  }
  for (size_t i = 0; i < size; ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  return value;
}

// One row per haplotype: long segments that haplotypes share become repeated bytes, which zstd finds.
void AppendHaplotypes(const HaplotypePanel& panel, std::span<const size_t> common, std::string& bytes) {
  const size_t row_bytes = (common.size() + 7) / 8;
  const size_t start = bytes.size();
  bytes.resize(start + row_bytes * panel.num_haplotypes());
  BitSquares squares;
  for (size_t word = 0; word < panel.words_per_marker(); word += kNumSquares) {
    const size_t words = std::min(kNumSquares, panel.words_per_marker() - word);
    const size_t rows = std::min(words * kSquareSize, panel.num_haplotypes() - word * kSquareSize);
    for (size_t first = 0; first < common.size(); first += kSquareSize) {
      const size_t columns = std::min(kSquareSize, common.size() - first);
      squares.fill({});
      for (size_t i = 0; i < columns; ++i) {
        std::ranges::copy(panel.bits(common[first + i]).subspan(word, words), squares[i].begin());
      }
      Transpose(squares);
      for (size_t r = 0; r < rows; ++r) {
        char* row = bytes.data() + start + (word * kSquareSize + r) * row_bytes + first / 8;
        const uint64_t bits = squares[r % kSquareSize][r / kSquareSize];
        for (size_t byte = 0; byte < (columns + 7) / 8; ++byte) row[byte] = static_cast<char>(bits >> 8 * byte);
      }
    }
  }
}

}  // namespace

size_t NumCarriers(const PanelBlockEntry& entry, size_t num_haplotypes) {
  const uint64_t rows = uint64_t{(entry.num_markers - entry.num_rare + 7) / 8} * num_haplotypes;
  return entry.raw_size > rows ? (entry.raw_size - rows) / std::max<size_t>(BytesOfHaplotype(num_haplotypes), 1) : 0;
}

std::string EncodePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end) {
  std::string bytes;
  int64_t position = panel.marker(begin).position;
  for (size_t m = begin; m < end; ++m) {
    AppendVarint(static_cast<uint64_t>(panel.marker(m).position - position), bytes);
    position = panel.marker(m).position;
  }
  std::vector<size_t> common;
  for (size_t m = begin; m < end; ++m) {
    bytes += static_cast<char>(!panel.is_rare(m) ? kCommon : panel.minor_is_alt(m) ? kRareAlt : kRareRef);
    if (!panel.is_rare(m)) common.push_back(m);
  }
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).id, bytes);
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).ref, bytes);
  for (size_t m = begin; m < end; ++m) AppendText(panel.marker(m).alt, bytes);
  AppendCarriers(panel, begin, end, bytes);
  AppendHaplotypes(panel, common, bytes);
  return bytes;
}

PanelBlockEntry DescribePanelBlock(const HaplotypePanel& panel, size_t begin, size_t end) {
  PanelBlockEntry entry;
  entry.first_position = panel.marker(begin).position;
  entry.last_position = panel.marker(end - 1).position;
  entry.num_markers = static_cast<uint32_t>(end - begin);
  for (size_t m = begin; m < end; ++m) entry.num_rare += panel.is_rare(m) ? 1 : 0;
  return entry;
}

void PanelBlock::Assign(std::string_view bytes, const PanelBlockEntry& entry, size_t num_haplotypes,
                        const std::string& message) {
  words_ = (num_haplotypes + 63) / 64;
  num_common_ = 0;
  rows_.clear();
  ByteReader reader(bytes, message);
  if (entry.num_markers > reader.num_left()) reader.Fail();
  markers_.resize(entry.num_markers);
  int64_t position = entry.first_position;
  for (Marker& marker : markers_) {
    position += static_cast<int64_t>(reader.Varint(static_cast<uint64_t>(entry.last_position - position)));
    marker.position = position;
  }
  if (markers_.front().position != entry.first_position || position != entry.last_position) reader.Fail();
  const std::string_view kinds = reader.Take(entry.num_markers);
  for (Marker& marker : markers_) marker.id = reader.Text();
  for (Marker& marker : markers_) marker.ref = reader.Text();
  for (Marker& marker : markers_) marker.alt = reader.Text();

  ReadRows(kinds, num_haplotypes, reader);
  if (num_common_ != entry.num_markers - entry.num_rare) reader.Fail();
  ReadCarriers(num_haplotypes, reader);
  if (reader.num_left() != (num_common_ + 7) / 8 * num_haplotypes) reader.Fail();
  ReadHaplotypes(reader.Take(reader.num_left()), num_haplotypes);
}

// The location of the alleles of each marker, and its number of carriers.
void PanelBlock::ReadRows(std::string_view kinds, size_t num_haplotypes, ByteReader& reader) {
  rows_.reserve(kinds.size());
  size_t num_carriers = 0;
  for (const char kind : kinds) {
    if (kind == kCommon) {
      rows_.push_back({true, false, 0, num_common_++ * words_});
      continue;
    }
    if (kind != kRareAlt && kind != kRareRef) reader.Fail();
    const size_t size = reader.Count();
    if (2 * size + (kind == kRareRef ? 1 : 0) > num_haplotypes) reader.Fail();
    rows_.push_back({false, kind == kRareAlt, static_cast<uint32_t>(size), num_carriers});
    num_carriers += size;
  }
  if (num_carriers > reader.num_left()) reader.Fail();
  carriers_.assign(num_carriers, 0);
}

// As AppendCarriers() wrote them.
void PanelBlock::ReadCarriers(size_t num_haplotypes, ByteReader& reader) {
  for (size_t byte = 0; byte < BytesOfHaplotype(num_haplotypes); ++byte) {
    const std::string_view plane = reader.Take(carriers_.size());
    for (size_t i = 0; i < plane.size(); ++i) carriers_[i] |= uint32_t{static_cast<uint8_t>(plane[i])} << 8 * byte;
  }
  for (const Row& row : rows_) {
    uint64_t next = 0;
    for (uint32_t& carrier : std::span(carriers_).subspan(row.is_common ? 0 : row.first, row.size)) {
      next += uint64_t{carrier} + 1;
      carrier = static_cast<uint32_t>(next - 1);
    }
    if (next > num_haplotypes) reader.Fail();  // the last one, and so any, is too high
  }
}

// As AppendHaplotypes() wrote them.
void PanelBlock::ReadHaplotypes(std::string_view bytes, size_t num_haplotypes) {
  bits_.resize(std::max(bits_.size(), num_common_ * words_));
  const size_t row_bytes = (num_common_ + 7) / 8;
  BitSquares squares;
  for (size_t word = 0; word < words_; word += kNumSquares) {
    const size_t words = std::min(kNumSquares, words_ - word);
    const size_t rows = std::min(words * kSquareSize, num_haplotypes - word * kSquareSize);
    for (size_t first = 0; first < num_common_; first += kSquareSize) {
      const size_t columns = std::min(kSquareSize, num_common_ - first);
      if (rows < kNumSquares * kSquareSize) squares.fill({});
      const char* from = bytes.data() + word * kSquareSize * row_bytes + first / 8;
      for (size_t r = 0; r < rows; ++r, from += row_bytes) {
        squares[r % kSquareSize][r / kSquareSize] = LittleEndian(from, (columns + 7) / 8);
      }
      Transpose(squares);
      for (size_t i = 0; i < columns; ++i) {
        std::copy_n(squares[i].begin(), words,
                    bits_.begin() + static_cast<std::ptrdiff_t>((first + i) * words_ + word));
      }
    }
  }
}

void PanelBlock::MoveTo(size_t m, HaplotypePanel& panel) {
  const Row& row = rows_[m];
  if (row.is_common) {
    panel.Append(std::move(markers_[m]), bits_.data() + row.first);
  } else {
    panel.AppendCarriers(std::move(markers_[m]), {carriers_.data() + row.first, row.size}, row.minor_is_alt);
  }
}

}  // namespace haplospin
