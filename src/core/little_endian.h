// Integers whose lowest byte comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace haplospin {

// The integer of up to eight bytes.
inline uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  return value;
}

}  // namespace haplospin
