// One zstd frame that carries the size and a checksum of its contents.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

std::string CompressFrame(std::string_view bytes, int level);

// Keeps its memory from frame to frame.
class FrameDecompressor {
 public:
  FrameDecompressor();
  ~FrameDecompressor();

  // The contents, valid until the next call. Nothing where it is not one whole such frame, or its contents do not have
  // this size and their checksum.
  std::optional<std::string_view> Decompress(std::string_view frame, uint64_t size);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::vector<char> bytes_;
};

}  // namespace haplospin
