#include "haplospin/haplotype_panel.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "genomics/bit_transpose.h"
#include "genomics/distinct_haplotypes.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kSmallBlockBytes = size_t{1} << 18;
constexpr size_t kLargePageBytes = size_t{1} << 21;
constexpr size_t kSmallBlocks =
    16;  // before blocks are large pages, so that small panels take little more memory than needed

size_t HeapBytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

// A block is one large page if the system has them: the first use of each page costs a page fault, which with small
// pages takes a third of the time to load a panel.
uint64_t* AllocateBlock(size_t bytes) {
  const bool is_large = bytes % kLargePageBytes == 0;
  void* memory = is_large ? std::aligned_alloc(kLargePageBytes, bytes) : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  if (is_large) madvise(memory, bytes, MADV_HUGEPAGE);  // without effect where there are none
  return static_cast<uint64_t*>(memory);
}

// Sums of pairs of bits, of four, of eight, side by side: without special instructions many times faster than
// std::popcount, which calls a function then.
uint32_t CountOnes(const uint64_t* words, size_t count) {
  constexpr size_t kMaxWords = 31;  // whose counts of eight bits each fit into a byte
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
    if (w == count - 1 && num_bits % 64 != 0) word &= (uint64_t{1} << num_bits % 64) - 1;
    for (; word != 0; word &= word - 1) function(w * 64 + static_cast<size_t>(std::countr_zero(word)));
  }
}

}  // namespace

SampleTable SampleTable::Diploid(std::vector<std::string> names) {
  SampleTable samples{std::move(names), {}};
  for (size_t s = 0; s <= samples.num_samples(); ++s) samples.first_haplotype.push_back(static_cast<uint32_t>(2 * s));
  return samples;
}

std::vector<uint32_t> SampleTable::SampleOfHaplotype() const {
  std::vector<uint32_t> sample_of(num_haplotypes());
  for (size_t s = 0; s < num_samples(); ++s) {
    std::fill(sample_of.begin() + first_haplotype[s], sample_of.begin() + first_haplotype[s + 1],
              static_cast<uint32_t>(s));
  }
  return sample_of;
}

HaplotypePanel::HaplotypePanel(std::string contig, SampleTable samples)
    : contig_(std::move(contig)), samples_(std::move(samples)), num_haplotypes_(samples_.num_haplotypes()) {}

std::span<const uint32_t> HaplotypePanel::carriers(size_t m) const {
  HS_ASSERT(rows_[m].is_rare);
  return {static_cast<const uint32_t*>(rows_[m].data), rows_[m].size};
}

std::span<const uint64_t> HaplotypePanel::bits(size_t m) const {
  HS_ASSERT(has_bits(m));
  return {static_cast<const uint64_t*>(rows_[m].data), rows_[m].size};
}

void HaplotypePanel::CopyBits(size_t m, uint64_t* out) const {
  if (is_rare(m)) {
    SetBits(carriers(m), minor_is_alt(m), out);
  } else {
    CopyWords(m, 0, words_per_marker(), out);
  }
}

void HaplotypePanel::CopyWords(size_t m, size_t begin, size_t end, uint64_t* out) const {
  if (has_bits(m)) {
    std::ranges::copy(bits(m).subspan(begin, end - begin), out);
  } else {
    rows_[m].group->CopyWords(rows_[m].column, begin, end, out);
  }
}

void HaplotypePanel::SetBits(std::span<const uint32_t> carriers, bool minor_is_alt, uint64_t* out) const {
  std::fill_n(out, words_per_marker(), minor_is_alt ? 0 : ~uint64_t{0});
  for (const uint32_t h : carriers) out[h / 64] ^= uint64_t{1} << h % 64;
  if (!minor_is_alt && num_haplotypes_ % 64 != 0) {
    out[words_per_marker() - 1] &= (uint64_t{1} << num_haplotypes_ % 64) - 1;
  }
}

int HaplotypePanel::allele(size_t m, size_t haplotype) const {
  if (has_bits(m)) return static_cast<int>(bits(m)[haplotype / 64] >> haplotype % 64 & 1);
  if (!is_rare(m)) return static_cast<int>(rows_[m].group->Bits(haplotype, rows_[m].column) & 1);
  const bool carries = std::ranges::binary_search(carriers(m), static_cast<uint32_t>(haplotype));
  return carries == minor_is_alt(m) ? 1 : 0;
}

void HaplotypePanel::Append(Marker marker, const uint64_t* bits) {
  const size_t words = words_per_marker();
  const uint32_t alt_count = CountOnes(bits, words);
  HS_ASSERT(alt_count <= num_haplotypes_);

  const size_t minor_count = std::min<size_t>(alt_count, num_haplotypes_ - alt_count);
  const bool is_rare = IsRare(minor_count);
  uint64_t* data = Allocate(is_rare ? (minor_count + 1) / 2 : words, num_dropped_ + rows_.size(),
                            is_rare ? blocks_ : common_blocks_);
  if (is_rare) {
    const bool minor_is_alt = 2 * size_t{alt_count} <= num_haplotypes_;
    auto* carriers = reinterpret_cast<uint32_t*>(data);
    ForEachBit(bits, words, minor_is_alt ? 0 : ~uint64_t{0}, num_haplotypes_,
               [&carriers](size_t h) { *carriers++ = static_cast<uint32_t>(h); });
  } else {
    std::copy_n(bits, words, data);
  }
  rows_.push_back({data, static_cast<uint32_t>(is_rare ? minor_count : words), alt_count, is_rare});
  markers_.push_back(std::move(marker));
}

void HaplotypePanel::AppendCarriers(Marker marker, std::span<const uint32_t> carriers, bool minor_is_alt) {
  HS_ASSERT(2 * carriers.size() + (minor_is_alt ? 0 : 1) <= num_haplotypes_);
  const auto minor_count = static_cast<uint32_t>(carriers.size());
  const bool is_rare = IsRare(minor_count);
  const uint32_t alt_count = minor_is_alt ? minor_count : static_cast<uint32_t>(num_haplotypes_) - minor_count;
  uint64_t* data = Allocate(is_rare ? (carriers.size() + 1) / 2 : words_per_marker(), num_dropped_ + rows_.size(),
                            is_rare ? blocks_ : common_blocks_);
  if (is_rare) {
    std::ranges::copy(carriers, reinterpret_cast<uint32_t*>(data));
  } else {
    SetBits(carriers, minor_is_alt, data);
  }
  rows_.push_back({data, is_rare ? minor_count : static_cast<uint32_t>(words_per_marker()), alt_count, is_rare});
  markers_.push_back(std::move(marker));
}

void HaplotypePanel::AppendColumn(Marker marker, std::shared_ptr<const DistinctHaplotypes> group, size_t column,
                                  uint32_t alt_count) {
  HS_ASSERT(group->num_haplotypes() == num_haplotypes_ && column < group->num_markers());
  HS_ASSERT(alt_count <= num_haplotypes_ && !IsRare(std::min<size_t>(alt_count, num_haplotypes_ - alt_count)));
  rows_.push_back({nullptr, static_cast<uint32_t>(words_per_marker()), alt_count, false, group.get(),
                   static_cast<uint32_t>(column)});
  markers_.push_back(std::move(marker));
  const size_t row = num_dropped_ + rows_.size() - 1;
  if (groups_.empty() || groups_.back().haplotypes != group) groups_.push_back({std::move(group), row});
  groups_.back().last_row = row;
}

// For a row, counted as last_row.
uint64_t* HaplotypePanel::Allocate(size_t words, size_t row, std::deque<Block>& blocks) {
  if (blocks.empty() || blocks.back().capacity - blocks.back().used < words) {
    const size_t unit = blocks.size() < kSmallBlocks ? kSmallBlockBytes : kLargePageBytes;
    const size_t bytes = (std::max<size_t>(words, 1) * sizeof(uint64_t) + unit - 1) / unit * unit;
    blocks.push_back({{}, bytes / sizeof(uint64_t), 0, 0});
    blocks.back().words.reset(AllocateBlock(bytes));
  }
  Block& block = blocks.back();
  uint64_t* data = block.words.get() + block.used;
  block.used += words;
  block.last_row = std::max(block.last_row, row);
  return data;
}

void HaplotypePanel::AddGroups(std::vector<Group> groups) {
  for (Group& group : groups) {
    for (size_t k = 0; k < group.markers.size(); ++k) {
      rows_[group.markers[k]].group = group.haplotypes.get();
      rows_[group.markers[k]].column = static_cast<uint32_t>(k);
    }
    groups_.push_back({std::move(group.haplotypes), num_dropped_ + group.markers.back()});
  }
  for (size_t m = first_ungrouped(); m < num_markers(); ++m) {
    Row& row = rows_[m];
    if (row.is_rare) continue;
    HS_ASSERT(row.group != nullptr);
    row.data = nullptr;
  }
  common_blocks_.clear();
  num_grouped_ = num_dropped_ + num_markers();
}

void HaplotypePanel::KeepBits(std::span<const uint32_t> markers) {
  for (size_t i = 0; i < markers.size();) {
    const DistinctHaplotypes* const group = rows_[markers[i]].group;
    const size_t word = rows_[markers[i]].column / kSquareSize;
    std::array<uint64_t*, kSquareSize> columns{};
    bool is_any = false;
    for (; i < markers.size(); ++i) {
      Row& row = rows_[markers[i]];
      if (row.group != group || row.column / kSquareSize != word) break;
      if (group == nullptr || row.data != nullptr) continue;
      uint64_t* const data = Allocate(row.size, num_dropped_ + markers[i], blocks_);
      row.data = columns[row.column % kSquareSize] = data;
      is_any = true;
    }
    if (is_any) group->CopyColumns(word, columns);
  }
}

void HaplotypePanel::DropBefore(size_t first) {
  HS_ASSERT(first <= num_markers());
  const auto end = static_cast<std::ptrdiff_t>(first);
  markers_.erase(markers_.begin(), markers_.begin() + end);
  rows_.erase(rows_.begin(), rows_.begin() + end);
  num_dropped_ += first;
  num_grouped_ = std::max(num_grouped_, num_dropped_);
  const auto drop = [this](auto& owners) {
    while (!owners.empty() && owners.front().last_row < num_dropped_) owners.pop_front();
  };
  drop(blocks_);
  drop(common_blocks_);
  drop(groups_);
}

size_t HaplotypePanel::MemoryBytes() const {
  size_t bytes = sizeof(*this) + HeapBytes(contig_) + samples_.first_haplotype.capacity() * sizeof(uint32_t) +
                 samples_.names.capacity() * sizeof(std::string);
  for (const std::string& name : samples_.names) bytes += HeapBytes(name);
  bytes += markers_.size() * sizeof(Marker) + rows_.size() * sizeof(Row);
  for (const Marker& marker : markers_) bytes += HeapBytes(marker.id) + HeapBytes(marker.ref) + HeapBytes(marker.alt);
  for (const auto* blocks : {&blocks_, &common_blocks_}) {
    for (const Block& block : *blocks) bytes += sizeof(block) + block.capacity * sizeof(uint64_t);
  }
  for (const OwnedGroup& group : groups_) bytes += group.haplotypes->MemoryBytes();
  return bytes;
}

size_t FirstMarkerAtOrAfter(const HaplotypePanel& panel, int64_t position) {
  size_t low = 0, high = panel.num_markers();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (panel.marker(middle).position < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace haplospin
