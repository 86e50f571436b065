// How a panel keeps its markers and alleles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "haplospin/marker.h"

namespace haplospin {

class DistinctHaplotypes;

// The alleles of a marker.
struct PanelRow {
  const void* data;  // uint32_t carriers or uint64_t words in a block; null if only the group has the alleles
  uint32_t size;     // entries of `data`
  uint32_t alt_count;
  bool is_rare;
  const DistinctHaplotypes* group = nullptr;  // owned by the storage
  uint32_t column = 0;                        // index among the markers of the group

  bool has_bits() const { return !is_rare && data != nullptr; }
  std::span<const uint64_t> bits() const { return {static_cast<const uint64_t*>(data), size}; }
};

// Rows are counted from the first marker ever appended.
struct PanelStorage {
  // The rows are stored one after the other in blocks, each of which is freed once all its rows are dropped.
  struct Block {
    struct Free {
      void operator()(uint64_t* words) const { std::free(words); }
    };
    std::unique_ptr<uint64_t[], Free> words;
    size_t capacity;
    size_t used;
    size_t last_row;
  };
  struct Group {
    std::shared_ptr<const DistinctHaplotypes> haplotypes;
    size_t last_row;
  };

  std::deque<Marker> markers;
  std::deque<PanelRow> rows;  // [markers]
  size_t num_dropped = 0;
  size_t num_grouped = 0;           // rows that were there in the last MutablePanel::AddGroups()
  std::deque<Block> blocks;         // rows of rare markers, and bits of MutablePanel::KeepBits()
  std::deque<Block> common_blocks;  // rows of the common markers that were appended after the last AddGroups()
  std::deque<Group> groups;

  size_t MemoryBytes() const;
};

// The memory that a text has outside of its object, in bytes.
size_t HeapBytes(const std::string& text);

// Writes the alleles of a marker, 64 to a word, from the ascending carriers of its minor allele.
void SetBits(std::span<const uint32_t> carriers, bool minor_is_alt, size_t num_haplotypes, uint64_t* out);

}  // namespace haplospin
