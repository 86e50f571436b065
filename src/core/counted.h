// Numbers of things in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/group_digits.h"

namespace haplospin {

// "1 sample", "2 samples"; `noun` is in the singular.
inline std::string Counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// "2,000 samples".
inline std::string CountedInGroups(size_t count, std::string_view noun) {
  return GroupDigits(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace haplospin
