// A panel file on disk, open for reading blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/zstd_frame.h"
#include "variant_io/panel_file/panel_file_index.h"

namespace haplospin {

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

 private:
  std::string_view ReadBytes(uint64_t offset, uint64_t size, std::vector<char>& buffer) const;

  std::string path_;
  int descriptor_ = -1;
  uint64_t file_bytes_ = 0;
  PanelFileIndex index_;
};

}  // namespace haplospin
