#include "genomics/panel_block.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "genomics/bit_transpose.h"

namespace haplospin {
namespace {

// Kinds of marker, one byte each.
enum Kind : uint8_t { kCommon = 0, kRareAlt = 1, kRareRef = 2 };

constexpr size_t kSquare = 64;

void AppendCarriers(std::span<const uint32_t> carriers, std::string& bytes) {
  AppendVarint(carriers.size(), bytes);
  uint32_t next = 0;  // lowest that can come
  for (const uint32_t carrier : carriers) {
    AppendVarint(carrier - next, bytes);
    next = carrier + 1;
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

// One row a haplotype: long stretches that haplotypes share become equal bytes, which zstd finds.
void AppendHaplotypes(const HaplotypePanel& panel, std::span<const size_t> common, std::string& bytes) {
  const size_t row_bytes = (common.size() + 7) / 8;
  const size_t start = bytes.size();
  bytes.resize(start + row_bytes * panel.num_haplotypes());
  std::array<uint64_t, kSquare> square;
  for (size_t word = 0; word < panel.words_per_marker(); ++word) {
    const size_t rows = std::min(kSquare, panel.num_haplotypes() - word * kSquare);
    for (size_t first = 0; first < common.size(); first += kSquare) {
      square.fill(0);
      const size_t columns = std::min(kSquare, common.size() - first);
      for (size_t i = 0; i < columns; ++i) square[i] = panel.bits(common[first + i])[word];
      Transpose64x64(square.data());
      for (size_t r = 0; r < rows; ++r) {
        char* row = bytes.data() + start + (word * kSquare + r) * row_bytes + first / 8;
        for (size_t byte = 0; byte < (columns + 7) / 8; ++byte) row[byte] = static_cast<char>(square[r] >> 8 * byte);
      }
    }
  }
}

}  // namespace

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
  for (size_t m = begin; m < end; ++m) {
    if (panel.is_rare(m)) AppendCarriers(panel.carriers(m), bytes);
  }
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
  carriers_.clear();
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

  rows_.reserve(entry.num_markers);
  for (const char kind : kinds) ReadRow(static_cast<uint8_t>(kind), num_haplotypes, reader);
  if (num_common_ != entry.num_markers - entry.num_rare) reader.Fail();
  if (reader.num_left() != (num_common_ + 7) / 8 * num_haplotypes) reader.Fail();
  ReadHaplotypes(reader.Take(reader.num_left()), num_haplotypes);
}

void PanelBlock::ReadRow(uint8_t kind, size_t num_haplotypes, ByteReader& reader) {
  if (kind == kCommon) {
    rows_.push_back({true, false, 0, num_common_++ * words_});
    return;
  }
  if (kind > kRareRef) reader.Fail();
  const size_t first = carriers_.size(), size = reader.Count();
  if (2 * size + (kind == kRareRef ? 1 : 0) > num_haplotypes) reader.Fail();
  carriers_.resize(first + size);
  uint64_t next = 0;
  for (size_t i = first; i < first + size; ++i) {
    if (next >= num_haplotypes) reader.Fail();
    next += reader.Varint(num_haplotypes - 1 - next) + 1;
    carriers_[i] = static_cast<uint32_t>(next - 1);
  }
  rows_.push_back({false, kind == kRareAlt, static_cast<uint32_t>(size), first});
}

// As AppendHaplotypes() wrote them.
void PanelBlock::ReadHaplotypes(std::string_view bytes, size_t num_haplotypes) {
  bits_.resize(std::max(bits_.size(), num_common_ * words_));
  const size_t row_bytes = (num_common_ + 7) / 8;
  std::array<uint64_t, kSquare> square;
  for (size_t word = 0; word < words_; ++word) {
    const size_t rows = std::min(kSquare, num_haplotypes - word * kSquare);
    for (size_t first = 0; first < num_common_; first += kSquare) {
      const size_t columns = std::min(kSquare, num_common_ - first);
      square.fill(0);
      for (size_t r = 0; r < rows; ++r) {
        square[r] = LittleEndian(bytes.data() + (word * kSquare + r) * row_bytes + first / 8, (columns + 7) / 8);
      }
      Transpose64x64(square.data());
      for (size_t i = 0; i < columns; ++i) bits_[(first + i) * words_ + word] = square[i];
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
