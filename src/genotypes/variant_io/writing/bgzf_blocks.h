// The blocks of a BGZF file (SAM specification, section 4.1). Records are compressed where they are formatted, so that
// both use the same threads.
#pragma once

#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "core/output_file.h"

namespace haplospin {

// Replaces `out` by the blocks of these bytes.
void CompressBlocks(std::string_view bytes, std::string& out);

// The empty block that ends the file.
inline constexpr std::string_view kEndBlock(
    "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    28);

// Writes bytes to a file as they are, or as blocks that are compressed in parallel.
class BlockOutput {
 public:
  // `output` must outlive it.
  BlockOutput(OutputFile& output, bool is_compressed);

  void Write(std::string_view bytes);

  // Ends a block, so that `output` has all that was written.
  void EndBlock();

  // Ends the file.
  void Close();

 private:
  void WriteWaiting(size_t size);

  OutputFile& output_;
  const bool is_compressed_;
  std::string waiting_;
  tbb::task_arena arena_;
};

}  // namespace haplospin
