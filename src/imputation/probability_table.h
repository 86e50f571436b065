// Probabilities of the study's haplotypes at the markers of a window. At most markers, most haplotypes have one of a
// few values, so that the tables of large studies are kept compressed.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "genomics/quantized_probability.h"

namespace haplospin {

// [haplotypes, markers] in steps of 1 / kWindowProbabilityOne; 0 where not set.
class ProbabilityTable {
 public:
  ProbabilityTable(size_t num_haplotypes, size_t num_markers);

  size_t num_haplotypes() const { return num_haplotypes_; }

  // Several threads may set the rows of different haplotypes.
  template <std::floating_point T>
  void Set(size_t haplotype, size_t marker, T probability) {
    Row(haplotype)[marker] = QuantizeProbability(probability, kWindowProbabilityOne);
  }
  void SetRow(size_t haplotype, std::span<const float> probabilities);

  // Compresses the rows of haplotypes before `end`, on all threads, if the table has more than one block of haplotypes;
  // of the last block when it is complete. They must not be set again.
  void CompressBefore(size_t end);

  // Slow where rows are compressed.
  float Get(size_t haplotype, size_t marker) const;

  // The probabilities of all haplotypes at markers [first, last), on all threads:
  // out[(marker - first) * num_haplotypes + haplotype].
  void CopyColumns(size_t first, size_t last, std::vector<float>& out) const;

  // What a probability takes once it is compressed: an estimate for common markers, the least compressible ones, and
  // the mean of a table, which is the estimate if nothing is compressed.
  static constexpr double kCompressedBytes = 1;
  double CompressedBytes() const;

  // Memory of a marker, if rows are compressed as soon as they are set.
  static size_t BytesOfMarker(size_t num_haplotypes, double compressed_bytes = kCompressedBytes);

 private:
  static constexpr size_t kHaplotypesOfBlock = 512;
  static constexpr size_t kMarkersOfTile = 64;

  struct Block {
    std::once_flag allocated;
    std::vector<uint16_t> rows;      // [haplotypes of the block, markers] until they are compressed
    std::vector<std::string> tiles;  // then, of kMarkersOfTile markers each: frames of [markers, haplotypes]
  };

  size_t num_blocks() const { return (num_haplotypes_ + kHaplotypesOfBlock - 1) / kHaplotypesOfBlock; }
  size_t num_tiles() const { return (num_markers_ + kMarkersOfTile - 1) / kMarkersOfTile; }
  size_t BlockBegin(size_t b) const { return b * kHaplotypesOfBlock; }
  size_t BlockSize(size_t b) const;
  size_t TileSize(size_t tile) const;

  uint16_t* Row(size_t haplotype);
  std::string CompressTile(size_t b, size_t tile) const;
  // out[(marker - first) * stride + haplotype of the block].
  void CopyRows(size_t b, size_t first, size_t last, size_t stride, float* out) const;
  void CopyTiles(size_t b, size_t first, size_t last, size_t stride, float* out) const;

  size_t num_haplotypes_;
  size_t num_markers_;
  std::unique_ptr<Block[]> blocks_;
};

}  // namespace haplospin
