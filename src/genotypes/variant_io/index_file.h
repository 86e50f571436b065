// The index of a VCF.gz or BCF file (.csi or .tbi), checked before HTSlib reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace haplospin {

// Throws InputError if the index is damaged or none: HTSlib's own reader trusts the numbers that it reads.
//
// Returns whether its records begin where the header of the file at `path` ends (`header_end`, a virtual offset) and
// end where that file ends, or nothing for an index that does not tell. No index has more to tell its file by: that of
// another file whose header and compressed size are the same passes.
std::optional<bool> BelongsToFile(const std::string& index_path, const std::string& path, int64_t header_end);

}  // namespace haplospin
