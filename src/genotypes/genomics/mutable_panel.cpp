#include "genotypes/genomics/mutable_panel.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <utility>

#include "genotypes/genomics/bit_transpose.h"
#include "genotypes/genomics/bits.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kSmallBlockBytes = size_t{1} << 18;
constexpr size_t kLargePageBytes = size_t{1} << 21;
constexpr size_t kSmallBlocks = 16;  // the first blocks are small, so that a small panel takes little memory

// A block is one large page if the system has them: the first use of each page costs a page fault, which with small
// pages takes a third of the time to load a panel.
uint64_t* AllocateBlock(size_t bytes) {
  const bool is_large = bytes % kLargePageBytes == 0;
  void* memory = is_large ? std::aligned_alloc(kLargePageBytes, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (is_large) madvise(memory, bytes, MADV_HUGEPAGE);  // has no effect where the system has no large pages
  return static_cast<uint64_t*>(memory);
}

// Sums of pairs of bits, of four, of eight, side by side: without special instructions many times faster than
// std::popcount, which calls a function then.
uint32_t CountOnes(const uint64_t* words, size_t count) {
  constexpr size_t kMaxWords = 31;  // words whose counts of ones in groups of eight bits fit into a byte
  uint32_t ones = 0;
  for (size_t begin = 0; begin < count; begin += kMaxWords) {
    const size_t end = std::min(count, begin + kMaxWords);
    uint64_t bytes = 0;
    for (size_t w = begin; w < end; ++w) {
      uint64_t x = words[w] - (words[w] >> 1 & 0x5555555555555555u);
      x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
      bytes += (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    }
    bytes = (bytes & 0x00FF00FF00FF00FFu) + (bytes >> 8 & 0x00FF00FF00FF00FFu);
    ones += static_cast<uint32_t>(bytes * 0x0001000100010001u >> 48);
  }
  return ones;
}

// Calls `function` with the index of each 1 among the first `num_bits` bits of the words XOR `flip`, ascending.
template <typename Function>
void ForEachBit(const uint64_t* words, size_t count, uint64_t flip, size_t num_bits, Function function) {
  for (size_t w = 0; w < count; ++w) {
    uint64_t word = words[w] ^ flip;
    if (w == count - 1) word &= LastWordMask(num_bits);
    for (; word != 0; word &= word - 1) function(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
}

}  // namespace

// Appends a marker whose alleles are not yet set: returns where its carriers or bits go.
uint64_t* MutablePanel::AppendRow(Marker marker, uint32_t alt_count) {
  PanelStorage& storage = mutable_storage();
  HS_ASSERT(alt_count <= num_haplotypes());
  const size_t minor_count = std::min<size_t>(alt_count, num_haplotypes() - alt_count);
  const bool is_rare = IsRare(minor_count, num_haplotypes());
  uint64_t* const data = Allocate(is_rare ? (minor_count + 1) / 2 : words_per_marker(), num_markers(),
                                  is_rare ? storage.blocks : storage.common_blocks);
  const size_t size = is_rare ? minor_count : words_per_marker();
  storage.rows.push_back({data, static_cast<uint32_t>(size), alt_count, is_rare});
  storage.markers.push_back(std::move(marker));
  return data;
}

void MutablePanel::Append(Marker marker, const uint64_t* bits) {
  const size_t m = num_markers(), words = words_per_marker();
  uint64_t* const data = AppendRow(std::move(marker), CountOnes(bits, words));
  if (is_rare(m)) {
    auto* carriers = reinterpret_cast<uint32_t*>(data);
    ForEachBit(bits, words, minor_is_alt(m) ? 0 : ~uint64_t{0}, num_haplotypes(),
               [&carriers](size_t h) { *carriers++ = static_cast<uint32_t>(h); });
  } else {
    std::copy_n(bits, words, data);
  }
}

void MutablePanel::AppendCarriers(Marker marker, std::span<const uint32_t> carriers, bool minor_is_alt) {
  HS_ASSERT(2 * carriers.size() + (minor_is_alt ? 0 : 1) <= num_haplotypes());
  const size_t m = num_markers(), alt_count = minor_is_alt ? carriers.size() : num_haplotypes() - carriers.size();
  uint64_t* const data = AppendRow(std::move(marker), static_cast<uint32_t>(alt_count));
  if (is_rare(m)) {
    std::ranges::copy(carriers, reinterpret_cast<uint32_t*>(data));
  } else {
    SetBits(carriers, minor_is_alt, num_haplotypes(), data);
  }
}

void MutablePanel::AppendFrom(const HaplotypePanel& panel, size_t m) {
  HS_ASSERT(panel.num_haplotypes() == num_haplotypes());
  if (panel.is_rare(m)) return AppendCarriers(panel.marker(m), panel.carriers(m), panel.minor_is_alt(m));
  panel.CopyBits(m, AppendRow(panel.marker(m), panel.alt_count(m)));
}

void MutablePanel::AppendColumn(Marker marker, std::shared_ptr<const DistinctHaplotypes> group, size_t column,
                                uint32_t alt_count) {
  PanelStorage& storage = mutable_storage();
  HS_ASSERT(group->num_haplotypes() == num_haplotypes() && column < group->num_markers());
  HS_ASSERT(alt_count <= num_haplotypes());
  HS_ASSERT(!IsRare(std::min<size_t>(alt_count, num_haplotypes() - alt_count), num_haplotypes()));
  storage.rows.push_back({nullptr, static_cast<uint32_t>(words_per_marker()), alt_count, false, group.get(),
                          static_cast<uint32_t>(column)});
  storage.markers.push_back(std::move(marker));
  const size_t row = storage.num_dropped + storage.rows.size() - 1;
  if (storage.groups.empty() || storage.groups.back().haplotypes != group)
    storage.groups.push_back({std::move(group), row});
  storage.groups.back().last_row = row;
}

// Memory that belongs to marker m.
uint64_t* MutablePanel::Allocate(size_t words, size_t m, std::deque<PanelStorage::Block>& blocks) {
  PanelStorage& storage = mutable_storage();
  if (blocks.empty() || blocks.back().capacity - blocks.back().used < words) {
    const size_t unit = blocks.size() < kSmallBlocks ? kSmallBlockBytes : kLargePageBytes;
    const size_t bytes = (std::max<size_t>(words, 1) * sizeof(uint64_t) + unit - 1) / unit * unit;
    blocks.push_back({{}, bytes / sizeof(uint64_t), 0, 0});
    blocks.back().words.reset(AllocateBlock(bytes));
  }
  PanelStorage::Block& block = blocks.back();
  uint64_t* data = block.words.get() + block.used;
  block.used += words;
  block.last_row = std::max(block.last_row, storage.num_dropped + m);
  return data;
}

void MutablePanel::AddGroups(std::vector<Group> groups) {
  PanelStorage& storage = mutable_storage();
  for (Group& group : groups) {
    for (size_t k = 0; k < group.markers.size(); ++k) {
      storage.rows[group.markers[k]].group = group.haplotypes.get();
      storage.rows[group.markers[k]].column = static_cast<uint32_t>(k);
    }
    storage.groups.push_back({std::move(group.haplotypes), storage.num_dropped + group.markers.back()});
  }
  for (size_t m = first_ungrouped(); m < num_markers(); ++m) {
    PanelRow& row = storage.rows[m];
    if (row.is_rare) continue;
    HS_ASSERT(row.group != nullptr);
    row.data = nullptr;
  }
  storage.common_blocks.clear();
  storage.num_grouped = storage.num_dropped + num_markers();
}

size_t MutablePanel::first_ungrouped() const { return storage().num_grouped - storage().num_dropped; }

void MutablePanel::KeepBits(std::span<const uint32_t> markers) {
  PanelStorage& storage = mutable_storage();
  for (size_t i = 0; i < markers.size();) {
    const DistinctHaplotypes* const group = storage.rows[markers[i]].group;
    const size_t word = storage.rows[markers[i]].column / kSquareSize;
    std::array<uint64_t*, kSquareSize> columns{};
    bool is_any = false;
    for (; i < markers.size(); ++i) {
      PanelRow& row = storage.rows[markers[i]];
      if (row.group != group || row.column / kSquareSize != word) break;
      if (group == nullptr || row.data != nullptr) continue;
      uint64_t* const data = Allocate(row.size, markers[i], storage.blocks);
      row.data = columns[row.column % kSquareSize] = data;
      is_any = true;
    }
    if (is_any) group->CopyColumns(word, columns);
  }
}

void MutablePanel::DropBefore(size_t first) {
  PanelStorage& storage = mutable_storage();
  HS_ASSERT(first <= num_markers());
  const auto end = static_cast<std::ptrdiff_t>(first);
  storage.markers.erase(storage.markers.begin(), storage.markers.begin() + end);
  storage.rows.erase(storage.rows.begin(), storage.rows.begin() + end);
  storage.num_dropped += first;
  storage.num_grouped = std::max(storage.num_grouped, storage.num_dropped);
  const auto drop = [&storage](auto& owners) {
    while (!owners.empty() && owners.front().last_row < storage.num_dropped) owners.pop_front();
  };
  drop(storage.blocks);
  drop(storage.common_blocks);
  drop(storage.groups);
}

}  // namespace haplospin
