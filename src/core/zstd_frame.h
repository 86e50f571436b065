// Zstandard frames that hold the size and a checksum of their content.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

std::string CompressFrame(std::string_view bytes, int level);

// The size of a frame's content by its header, which is not checked; nothing if there is none.
std::optional<uint64_t> FrameContentSize(std::string_view frame);

// Reuses its memory from frame to frame.
class FrameDecompressor {
 public:
  // The content, valid until the next call. Nothing if the bytes are not exactly one such frame, or its content does
  // not have this size and checksum.
  std::optional<std::string_view> Decompress(std::string_view frame, uint64_t size);

 private:
  std::vector<char> bytes_;
};

}  // namespace haplospin
