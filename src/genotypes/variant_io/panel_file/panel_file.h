// haplospin's panel file format: compact and fast to load. docs/panel-format.md describes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/zstd_frame.h"
#include "genotypes/genomics/sites/region.h"
#include "genotypes/variant_io/panel_file/panel_file_index.h"

namespace haplospin {

// Returns whether the file begins with the magic number of a panel file; false if it cannot be read.
bool IsPanelFile(const std::string& path);

struct PanelFileSummary {
  // A contig, or a part of one between two changes of ploidy.
  struct Contig {
    std::string name;
    int64_t length = 0;  // bp, 0: unknown
    int64_t first_position = 0;
    int64_t last_position = 0;
    size_t haplotypes = 0;
    size_t markers = 0;
    size_t rare_markers = 0;  // stored as lists of carriers
    size_t blocks = 0;
    uint64_t bytes = 0;  // compressed size of the blocks
  };
  uint64_t version = 0;
  uint64_t bytes = 0;
  size_t samples = 0;
  std::string array;            // name of the array that the panel is adapted to; empty for none
  std::vector<Contig> contigs;  // contigs that have markers
};

// Summarizes the file of an index, which has `file_bytes` bytes.
PanelFileSummary Summarize(const PanelFileIndex& index, uint64_t file_bytes);

// Reads the index of a panel file, without its blocks. Throws InputError if the file is not a panel file, or damaged.
PanelFileSummary SummarizePanelFile(const std::string& path);

// Returns regions that cover a contig, to be imputed separately: each has markers, and they span about `size` bp,
// because regions end where blocks of the file end, which the index tells. The first region begins at 1, the last has
// no end. Each region but the first begins `overlap` bp, less than `size`, before the end of the one before it. Throws
// InputError as SummarizePanelFile() does, or if the file does not have the contig.
std::vector<Region> SplitPanelContig(const std::string& path, const std::string& contig, int64_t size, int64_t overlap);

// A panel file on disk, open for reading blocks.
class PanelBlockReader {
 public:
  // Buffers for reading blocks, reused from block to block; one per thread.
  struct Workspace {
    std::vector<char> bytes;
    FrameDecompressor decompressor;
  };

  // Reads the index. Throws InputError if the file is not a panel file, has another version, or is truncated or
  // damaged.
  explicit PanelBlockReader(const std::string& path);
  ~PanelBlockReader();
  PanelBlockReader(const PanelBlockReader&) = delete;
  PanelBlockReader& operator=(const PanelBlockReader&) = delete;

  const std::string& path() const { return path_; }
  uint64_t file_bytes() const { return file_bytes_; }
  const PanelFileIndex& index() const { return index_; }

  // Throws InputError if the block is damaged. Thread-safe.
  void ReadBlock(size_t contig, size_t block, Workspace& workspace, PanelBlock& out) const;

  // Does the same without the alleles.
  void ReadSites(size_t contig, size_t block, Workspace& workspace, PanelBlock& out) const;

  // Reads the adaptation of a contig to index().array, which must not be empty. Throws InputError if it is damaged.
  PanelAdaptation ReadAdaptation(size_t contig) const;

  // Calls write(bytes) for all blocks as they are in the file.
  void CopyBlocks(const std::function<void(std::string_view)>& write) const;

 private:
  std::string DamagedBlock(size_t contig, size_t block) const;
  std::string_view Decompressed(const PanelBlockEntry& entry, Workspace& workspace, const std::string& damaged) const;
  std::string_view ReadBytes(uint64_t offset, uint64_t size, std::vector<char>& buffer) const;

  std::string path_;
  int descriptor_ = -1;
  uint64_t file_bytes_ = 0;
  PanelFileIndex index_;
};

}  // namespace haplospin
