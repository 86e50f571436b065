// What files written through HTSlib have in common.
#pragma once

#include <cstdint>
#include <string>

#include "haplospin/genomics/dosage_writer.h"

namespace haplospin {

// Of BGZF. Takes a third of the time of the usual level 6 for files a tenth larger.
inline constexpr int kCompressionLevel = 4;

// HTSlib's mode for writing a file of this type, resolved.
const char* OpenMode(OutputType type);

// Throws InputError that says why `path` cannot be written: from errno, which was 0 before.
[[noreturn]] void FailToWrite(const std::string& path);

// Writes `path`.csi for BCF, `path`.tbi for VCF.gz, or .csi if `last_position` (bp, on any contig) is beyond what .tbi
// can hold. `type` is one that CanBeIndexed() allows, resolved. Throws InputError if the index cannot be written.
void WriteVariantIndex(const std::string& path, OutputType type, int64_t last_position, int threads);

}  // namespace haplospin
