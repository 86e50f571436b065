// Reads of one barcode (BX), which are of one molecule if they are near each other, beside those of one sequence.
#pragma once

#include <cstdint>

namespace haplospin {

// The highest bit of the number of a read (ReadAllele::read), which tells both apart.
inline constexpr uint64_t kLinkedRead = uint64_t{1} << 56;

inline bool IsLinked(uint64_t read) { return (read & kLinkedRead) != 0; }

}  // namespace haplospin
