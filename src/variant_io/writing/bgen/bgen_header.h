// What precedes the variants of a BGEN 1.2 file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "variant_io/writing/bgen/bgen_options.h"

namespace haplospin {

// Of the number of variants, which is known only at the end of the file.
inline constexpr int64_t kBgenNumVariantsOffset = 8;

// The header block, with 0 as the number of variants, and the block of sample names. Programs do not read `note`.
// Throws InputError if a name is too long for the format.
std::string BgenHeader(const std::vector<std::string>& samples, std::string_view note, BgenCompression compression);

}  // namespace haplospin
