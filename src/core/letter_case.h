// ASCII letters in lower and upper case.
#pragma once

#include <string>
#include <string_view>

namespace haplospin {

inline char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline char ToUpper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

inline std::string ToLower(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += ToLower(c);
  return lower;
}

inline std::string ToUpper(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += ToUpper(c);
  return upper;
}

}  // namespace haplospin
