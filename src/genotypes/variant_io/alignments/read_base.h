// A base of an aligned read, with what its errors depend on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace haplospin {

// Base qualities above this one are taken as this one. So is what two reads of one fragment say together.
inline constexpr uint8_t kMaxQuality = 60;

struct ReadBase {
  uint8_t code = 0;         // as HTSlib's codes of bases, on the strand of the reference
  uint8_t quality = 0;      // phred
  bool is_reverse = false;  // whether the read was sequenced from the other strand
  // Bases of the read between this one and either end, in the direction of sequencing. Clipped ones count.
  size_t from_start = 0, from_end = 0;
};

}  // namespace haplospin
