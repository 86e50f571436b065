#include "genotypes/variant_io/writing/bgzf_blocks.h"

#include <htslib/bgzf.h>
#include <oneapi/tbb/parallel_for.h>

#include <array>
#include <vector>

#include "core/threads.h"
#include "genotypes/variant_io/writing/hts_output.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kBlocksAtATime = 64;  // that are compressed at a time

}  // namespace

void CompressBlocks(std::string_view bytes, std::string& out) {
  out.clear();
  std::array<char, BGZF_MAX_BLOCK_SIZE> compressed;
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, BGZF_BLOCK_SIZE);
    size_t size = compressed.size();
    HS_CHECK(bgzf_compress(compressed.data(), &size, piece.data(), piece.size(), kCompressionLevel) == 0);
    out.append(compressed.data(), size);
    bytes.remove_prefix(piece.size());
  }
}

BlockOutput::BlockOutput(OutputFile& output, bool is_compressed)
    : output_(output), is_compressed_(is_compressed), arena_(Threads()) {}

void BlockOutput::Write(std::string_view bytes) {
  if (!is_compressed_) return output_.Write(bytes);
  waiting_ += bytes;
  if (waiting_.size() >= kBlocksAtATime * BGZF_BLOCK_SIZE) {
    WriteWaiting(waiting_.size() / BGZF_BLOCK_SIZE * BGZF_BLOCK_SIZE);
  }
}

void BlockOutput::EndBlock() { WriteWaiting(waiting_.size()); }

void BlockOutput::Close() {
  EndBlock();
  if (is_compressed_) output_.Write(kEndBlock);
}

// Writes the first `size` of the bytes that are waiting.
void BlockOutput::WriteWaiting(size_t size) {
  std::vector<std::string> blocks((size + BGZF_BLOCK_SIZE - 1) / BGZF_BLOCK_SIZE);
  const std::string_view bytes = std::string_view(waiting_).substr(0, size);
  arena_.execute([&] {
    tbb::parallel_for(size_t{0}, blocks.size(),
                      [&](size_t b) { CompressBlocks(bytes.substr(b * BGZF_BLOCK_SIZE, BGZF_BLOCK_SIZE), blocks[b]); });
  });
  for (const std::string& block : blocks) output_.Write(block);
  waiting_.erase(0, size);
}

}  // namespace haplospin
