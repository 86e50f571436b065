// Probabilities of the study's haplotypes at the markers of a window. At most markers, most haplotypes have one of a
// few values, so that the tables of large studies are kept compressed.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/quantized_probability.h"

namespace haplospin {

// [haplotypes, markers] packed (genomics/quantized_probability.h); 0 where not set.
class ProbabilityTable {
 public:
  ProbabilityTable(size_t num_haplotypes, size_t num_markers);

  size_t num_haplotypes() const { return num_haplotypes_; }

  // Sets all markers of a haplotype, once. In a large table, a block of haplotypes is compressed when all of its rows
  // are set. Several threads may set the rows of different haplotypes.
  void SetRow(size_t haplotype, std::span<const float> probabilities);
  void SetRow(size_t haplotype, std::span<const uint16_t> packed);

  // Sets the rows of some haplotypes again, once all rows are set.
  void ReplaceRows(const std::map<size_t, std::vector<float>>& rows);

  // Sets one probability, of a row that is not set as a whole.
  template <std::floating_point T>
  void Set(size_t haplotype, size_t marker, T probability) {
    Row(haplotype)[marker] = PackProbability(probability);
  }

  // Slow where rows are compressed.
  float Get(size_t haplotype, size_t marker) const;

  // The probabilities of all haplotypes at markers [first, last), on all threads:
  // out[(marker - first) * num_haplotypes + haplotype].
  void CopyColumns(size_t first, size_t last, std::vector<float>& out) const;

  // The markers that are best copied together with `marker`, [first, second): a tile is decompressed as a whole.
  std::pair<size_t, size_t> MarkersWith(size_t marker) const;

  // Bytes of a compressed probability: an estimate for common markers, the least compressible ones, and
  // the mean of a table, which is the estimate if nothing is compressed.
  static constexpr double kCompressedBytes = 1;
  double CompressedBytes() const;

  // Memory of a marker, if rows are set as a whole.
  static size_t BytesOfMarker(size_t num_haplotypes, double compressed_bytes = kCompressedBytes);

 private:
  static constexpr size_t kMinToCompress = 512;  // haplotypes: less is not worth the time
  static constexpr size_t kHaplotypesOfBlock = 128;
  static constexpr size_t kMarkersOfTile = 128;

  struct Block {
    std::once_flag allocated;
    std::atomic<size_t> num_set = 0;  // rows
    std::vector<uint16_t> rows;       // [haplotypes of the block, markers] until they are compressed
    std::vector<std::string> tiles;   // compressed [markers, haplotypes] of kMarkersOfTile markers each
  };

  size_t num_blocks() const { return (num_haplotypes_ + kHaplotypesOfBlock - 1) / kHaplotypesOfBlock; }
  size_t num_tiles() const { return (num_markers_ + kMarkersOfTile - 1) / kMarkersOfTile; }
  size_t BlockBegin(size_t b) const { return b * kHaplotypesOfBlock; }
  size_t BlockSize(size_t b) const;
  size_t TileSize(size_t tile) const;

  uint16_t* Row(size_t haplotype);
  void FinishRow(size_t haplotype);
  void Compress(size_t b);
  void Decompress(size_t b);
  std::string CompressTile(size_t b, size_t tile) const;
  // out[(marker - first) * stride + haplotype of the block].
  void CopyRows(size_t b, size_t first, size_t last, size_t stride, float* out) const;
  void CopyTiles(size_t b, size_t first, size_t last, size_t stride, float* out) const;

  size_t num_haplotypes_;
  size_t num_markers_;
  std::unique_ptr<Block[]> blocks_;
};

// Columns of a table in ascending order, so that no tile is decompressed twice.
class ColumnReader {
 public:
  explicit ColumnReader(const ProbabilityTable& table) : table_(table) {}

  // [haplotypes] at a marker; valid until the next call.
  std::span<const float> At(size_t marker);

 private:
  const ProbabilityTable& table_;
  size_t first_ = 0, last_ = 0;  // markers of columns_
  std::vector<float> columns_;
};

}  // namespace haplospin
