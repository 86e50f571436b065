// The end of every variant file that is written: its name, its index, or an error.
#pragma once

#include <cstdint>
#include <string>

#include "core/output_file.h"
#include "variant_io/writing/output_type.h"

namespace haplospin {

// Of BGZF. Takes a third of the time of the usual level 6 for files a tenth larger.
inline constexpr int kCompressionLevel = 4;

// Throws InputError that says why the file cannot be written: from errno, which was 0 before.
[[noreturn]] void FailToWrite(OutputFile& output);

// Renames a complete file and, if requested, writes its index: .csi for BCF, .tbi for VCF.gz, or .csi if
// `last_position` (bp, on any contig) is beyond the limit of .tbi. `type` is resolved, and one that CanBeIndexed()
// allows. Throws InputError if either cannot be written; then neither is left, unless the index cannot be
// renamed after the file was.
void CommitVariants(OutputFile& output, OutputType type, bool write_index, int64_t last_position);

}  // namespace haplospin
