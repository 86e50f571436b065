// The index of a VCF.gz or BCF file (.csi or .tbi) or a BAM file (.csi or .bai), checked before HTSlib reads it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace haplospin {

// What comes after the records that an index has the places of: the end of the file or, in BAM, perhaps reads without
// a place.
enum class AfterRecords { kEnd, kMore };

// Throws InputError if the index is damaged or none: HTSlib's own reader trusts the numbers that it reads.
//
// Returns whether its records begin where the header of the file at `path` ends (`header_end`, a virtual offset) and
// end where that file ends (`after`), or nothing for an index that does not tell. No index has more to tell its file
// by: that of another file whose header and compressed size are the same passes.
std::optional<bool> BelongsToFile(const std::string& index_path, const std::string& path, int64_t header_end,
                                  AfterRecords after = AfterRecords::kEnd);

}  // namespace haplospin
