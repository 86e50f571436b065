// The index of a BCF file.
#pragma once

#include <string>

namespace haplospin {

constexpr int kCsiMinShift = 14;  // the smallest bins of a .csi index span 16 kb

// Writes a .csi index whose depth covers every position that BCF can store. HTSlib takes the depth from the contig
// lengths in the header, and fails for positions beyond them. False if a file cannot be read or written; errno may have
// the reason.
bool WriteBcfIndex(const std::string& path, const std::string& index_path);

}  // namespace haplospin
