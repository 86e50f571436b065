// Positions as they are read from files and options.
#pragma once

#include <cstdint>
#include <string_view>

namespace haplospin {

// The highest position, bp, that BCF and its index can store. The lowest is 0: VCF writes the end of a telomere so, and
// PLINK a variant without a position.
inline constexpr int64_t kMaxPosition = INT32_MAX;

// Throw InputError, which names neither file nor record, if it is not a position from 0 to kMaxPosition.
int64_t ParsePosition(std::string_view text);
int64_t CheckPosition(int64_t position);

}  // namespace haplospin
