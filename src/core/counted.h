// Numbers of things in messages, and their shares.
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

// The share, or percentage, that a count or sum has in a number of things; 0 of nothing.
template <typename Part>
double ShareOf(Part part, size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
template <typename Part>
double PercentageOf(Part part, size_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
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
