// Integers and texts as BGEN has them.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "haplospin/errors.h"

namespace haplospin {

// Appends the lowest `num_bytes` of `value`, the lowest first.
inline void AppendInteger(uint64_t value, size_t num_bytes, std::string& out) {
  for (size_t i = 0; i < num_bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xFF);
}

// Appends a text after its length of two bytes. Throws InputError, which names the text as `what`, if it is longer.
inline void AppendShortText(std::string_view text, const char* what, std::string& out) {
  if (text.size() > UINT16_MAX) {
    throw InputError(fmt::format("{} \"{}...\" has {} characters, but BGEN allows 65,535; shorten it, or write BCF",
                                 what, text.substr(0, 20), text.size()));
  }
  AppendInteger(text.size(), 2, out);
  out += text;
}

}  // namespace haplospin
