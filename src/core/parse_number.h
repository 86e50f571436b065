// Numbers from text, whatever the locale.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace haplospin {

// The whole of `text` as a number, or nothing.
template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [parsed_to, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || parsed_to != end) return std::nullopt;
  return value;
}

}  // namespace haplospin
