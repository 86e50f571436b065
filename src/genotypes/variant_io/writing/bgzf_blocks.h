// The blocks of a BGZF file (SAM specification, section 4.1). Records are compressed where they are formatted, so that
// both use the same threads.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

// Replaces `out` by the blocks of these bytes.
void CompressBlocks(std::string_view bytes, std::string& out);

// The empty block that ends the file.
inline constexpr std::string_view kEndBlock(
    "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00",
    28);

}  // namespace haplospin
