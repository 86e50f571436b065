#include "genotypes/imputation/window/probability_table.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/zstd_frame.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kLevel = 1;  // the fastest of zstd, as a table is read once

}  // namespace

ProbabilityTable::ProbabilityTable(size_t num_haplotypes, size_t num_markers)
    : num_haplotypes_(num_haplotypes), num_markers_(num_markers), blocks_(std::make_unique<Block[]>(num_blocks())) {}

size_t ProbabilityTable::BytesOfMarker(size_t num_haplotypes, double compressed_bytes) {
  const size_t open = std::min(num_haplotypes, kMinToCompress);
  return open * sizeof(uint16_t) + static_cast<size_t>(static_cast<double>(num_haplotypes - open) * compressed_bytes);
}

double ProbabilityTable::CompressedBytes() const {
  size_t haplotypes = 0, bytes = 0;
  for (size_t b = 0; b < num_blocks(); ++b) {
    if (blocks_[b].tiles.empty()) continue;
    haplotypes += BlockSize(b);
    for (const std::string& tile : blocks_[b].tiles) bytes += tile.size();
  }
  if (bytes == 0) return kCompressedBytes;
  return static_cast<double>(bytes) / static_cast<double>(haplotypes * num_markers_);
}

size_t ProbabilityTable::BlockSize(size_t b) const {
  return std::min(kHaplotypesOfBlock, num_haplotypes_ - BlockBegin(b));
}

size_t ProbabilityTable::TileSize(size_t tile) const {
  return std::min(kMarkersOfTile, num_markers_ - tile * kMarkersOfTile);
}

uint16_t* ProbabilityTable::Row(size_t haplotype) {
  const size_t b = haplotype / kHaplotypesOfBlock;
  Block& block = blocks_[b];
  std::call_once(block.allocated, [&] { block.rows.resize(BlockSize(b) * num_markers_); });
  return block.rows.data() + (haplotype - BlockBegin(b)) * num_markers_;
}

void ProbabilityTable::SetRow(size_t haplotype, std::span<const float> probabilities) {
  HS_ASSERT(probabilities.size() == num_markers_);
  uint16_t* row = Row(haplotype);
  for (size_t m = 0; m < num_markers_; ++m) row[m] = PackProbability(probabilities[m]);
  FinishRow(haplotype);
}

void ProbabilityTable::SetRow(size_t haplotype, std::span<const uint16_t> packed) {
  HS_ASSERT(packed.size() == num_markers_);
  std::ranges::copy(packed, Row(haplotype));
  FinishRow(haplotype);
}

void ProbabilityTable::FinishRow(size_t haplotype) {
  const size_t b = haplotype / kHaplotypesOfBlock;
  if (++blocks_[b].num_set == BlockSize(b) && num_haplotypes_ > kMinToCompress) Compress(b);
}

void ProbabilityTable::Compress(size_t b) {
  Block& block = blocks_[b];
  std::vector<std::string> tiles(num_tiles());
  for (size_t tile = 0; tile < tiles.size(); ++tile) tiles[tile] = CompressTile(b, tile);
  block.tiles = std::move(tiles);
  block.rows = std::vector<uint16_t>();  // frees them
}

void ProbabilityTable::Decompress(size_t b) {
  Block& block = blocks_[b];
  std::vector<float> columns(num_markers_ * BlockSize(b));
  CopyTiles(b, 0, num_markers_, BlockSize(b), columns.data());
  block.rows.resize(columns.size());
  for (size_t h = 0; h < BlockSize(b); ++h) {
    for (size_t m = 0; m < num_markers_; ++m) {
      block.rows[h * num_markers_ + m] = PackProbability(columns[m * BlockSize(b) + h]);
    }
  }
  block.tiles.clear();
}

void ProbabilityTable::ReplaceRows(const std::map<size_t, std::vector<float>>& rows) {
  for (auto row = rows.begin(); row != rows.end();) {
    const size_t b = row->first / kHaplotypesOfBlock;
    const bool is_compressed = !blocks_[b].tiles.empty();
    if (is_compressed) Decompress(b);
    for (; row != rows.end() && row->first / kHaplotypesOfBlock == b; ++row) {
      HS_ASSERT(row->second.size() == num_markers_);
      std::ranges::transform(row->second, Row(row->first), [](float p) { return PackProbability(p); });
    }
    if (is_compressed) Compress(b);
  }
}

std::string ProbabilityTable::CompressTile(size_t b, size_t tile) const {
  const size_t haplotypes = BlockSize(b), markers = TileSize(tile);
  std::vector<uint16_t> columns(markers * haplotypes);
  for (size_t h = 0; h < haplotypes; ++h) {
    const uint16_t* row = blocks_[b].rows.data() + h * num_markers_ + tile * kMarkersOfTile;
    for (size_t m = 0; m < markers; ++m) columns[m * haplotypes + h] = row[m];
  }
  return CompressFrame({reinterpret_cast<const char*>(columns.data()), columns.size() * sizeof(uint16_t)}, kLevel);
}

float ProbabilityTable::Get(size_t haplotype, size_t marker) const {
  const size_t b = haplotype / kHaplotypesOfBlock, row = haplotype - BlockBegin(b);
  const Block& block = blocks_[b];
  if (!block.rows.empty()) return UnpackProbability(block.rows[row * num_markers_ + marker]);
  if (block.tiles.empty()) return 0;
  std::vector<float> column(BlockSize(b));
  CopyTiles(b, marker, marker + 1, BlockSize(b), column.data());
  return column[row];
}

void ProbabilityTable::CopyColumns(size_t first, size_t last, std::vector<float>& out) const {
  out.resize((last - first) * num_haplotypes_);
  if (out.empty()) return;
  tbb::parallel_for(size_t{0}, num_blocks(), [&](size_t b) {
    float* block_column = out.data() + BlockBegin(b);
    if (!blocks_[b].rows.empty()) {
      CopyRows(b, first, last, num_haplotypes_, block_column);
    } else if (!blocks_[b].tiles.empty()) {
      CopyTiles(b, first, last, num_haplotypes_, block_column);
    } else {
      for (size_t m = first; m < last; ++m, block_column += num_haplotypes_)
        std::fill_n(block_column, BlockSize(b), 0.0f);
    }
  });
}

std::pair<size_t, size_t> ProbabilityTable::MarkersWith(size_t marker) const {
  if (num_haplotypes_ <= kMinToCompress) return {marker, marker + 1};
  const size_t first = marker / kMarkersOfTile * kMarkersOfTile;
  return {first, std::min(first + kMarkersOfTile, num_markers_)};
}

void ProbabilityTable::CopyRows(size_t b, size_t first, size_t last, size_t stride, float* out) const {
  for (size_t h = 0; h < BlockSize(b); ++h) {
    const uint16_t* row = blocks_[b].rows.data() + h * num_markers_;
    for (size_t m = first; m < last; ++m) out[(m - first) * stride + h] = UnpackProbability(row[m]);
  }
}

void ProbabilityTable::CopyTiles(size_t b, size_t first, size_t last, size_t stride, float* out) const {
  const size_t haplotypes = BlockSize(b);
  FrameDecompressor decompressor;
  std::vector<uint16_t> column(haplotypes);
  for (size_t from = first, to; from < last; from = to) {
    const size_t tile = from / kMarkersOfTile, begin = tile * kMarkersOfTile;
    to = std::min(last, begin + kMarkersOfTile);
    const auto bytes = decompressor.Decompress(blocks_[b].tiles[tile], TileSize(tile) * haplotypes * sizeof(uint16_t));
    HS_ASSERT(bytes.has_value());
    for (size_t m = from; m < to; ++m) {
      const size_t column_bytes = haplotypes * sizeof(uint16_t);
      std::memcpy(column.data(), bytes->data() + (m - begin) * column_bytes, column_bytes);
      std::ranges::transform(column, out + (m - first) * stride, UnpackProbability);
    }
  }
}

std::span<const float> ColumnReader::At(size_t marker) {
  if (marker < first_ || marker >= last_) {
    std::tie(first_, last_) = table_.MarkersWith(marker);
    table_.CopyColumns(first_, last_, columns_);
  }
  const size_t n = table_.num_haplotypes();
  return std::span(columns_).subspan((marker - first_) * n, n);
}

}  // namespace haplospin
