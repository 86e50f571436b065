// Numbers of things in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace haplospin {

// 1234567 as "1,234,567".
inline std::string GroupDigits(size_t number) {
  std::string digits = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<size_t>(i), ",");
  }
  return digits;
}

// "1 sample", "2 samples"; `noun` is in the singular.
inline std::string Counted(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// "2,000 samples".
inline std::string CountedInGroups(size_t count, std::string_view noun) {
  return GroupDigits(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace haplospin
