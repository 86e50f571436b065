#include "genotypes/genomics/panel_storage.h"

#include <algorithm>

#include "genotypes/genomics/bits.h"
#include "genotypes/genomics/distinct_haplotypes.h"

namespace haplospin {

size_t PanelStorage::MemoryBytes() const {
  size_t bytes = sizeof(*this) + markers.size() * sizeof(Marker) + rows.size() * sizeof(PanelRow);
  for (const Marker& marker : markers) {
    bytes += HeapBytes(marker.id) + HeapBytes(marker.ref) + HeapBytes(marker.alt) + HeapBytes(marker.info);
  }
  for (const auto* all : {&blocks, &common_blocks}) {
    for (const Block& block : *all) bytes += sizeof(block) + block.capacity * sizeof(uint64_t);
  }
  for (const Group& group : groups) bytes += group.haplotypes->MemoryBytes();
  return bytes;
}

size_t HeapBytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

void SetBits(std::span<const uint32_t> carriers, bool minor_is_alt, size_t num_haplotypes, uint64_t* out) {
  const size_t words = WordsOf(num_haplotypes);
  std::fill_n(out, words, minor_is_alt ? 0 : ~uint64_t{0});
  for (const uint32_t h : carriers) out[h / 64] ^= uint64_t{1} << h % 64;
  if (!minor_is_alt && words > 0) out[words - 1] &= LastWordMask(num_haplotypes);
}

}  // namespace haplospin
