// The index of a BCF file.
#pragma once

#include <string>

namespace haplospin {

constexpr int kCsiMinShift = 14;  // the smallest bins of a .csi index span 16 kb

// Writes a .csi index. Its depth holds every position that BCF can, whereas HTSlib takes it from the contigs' lengths
// in the header and fails where a position lies beyond. False if a file cannot be read or written; errno may say why.
bool WriteBcfIndex(const std::string& path, const std::string& index_path, int threads);

}  // namespace haplospin
