// Large numbers as people write them.
#pragma once

#include <cstddef>
#include <string>

namespace haplospin {

// 1234567 as "1,234,567".
inline std::string GroupDigits(size_t number) {
  std::string digits = std::to_string(number);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) {
    digits.insert(static_cast<size_t>(i), ",");
  }
  return digits;
}

}  // namespace haplospin
