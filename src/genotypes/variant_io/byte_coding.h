// Integers and texts as bytes, for panel files and BGEN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/little_endian.h"
#include "haplospin/errors.h"

namespace haplospin {

// Appends the lowest `num_bytes` of `value`, the lowest first.
inline void AppendInteger(uint64_t value, size_t num_bytes, std::string& bytes) {
  for (size_t i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> 8 * i & 0xFF);
}

// Appends seven bits a byte, lowest first; all bytes but the last have the top bit set (LEB128).
inline void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  bytes += static_cast<char>(value);
}

// Appends the length as a varint, then the bytes.
inline void AppendText(std::string_view text, std::string& bytes) {
  AppendVarint(text.size(), bytes);
  bytes += text;
}

// Reads these values with bounds checks. Throws InputError with `message` if the bytes end too early, or a number is
// too large.
class ByteReader {
 public:
  ByteReader(std::string_view bytes, std::string message) : bytes_(bytes), message_(std::move(message)) {}

  size_t num_left() const { return bytes_.size(); }

  std::string_view Take(size_t size) {
    if (size > bytes_.size()) Fail();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  uint8_t Byte() { return static_cast<uint8_t>(Take(1)[0]); }

  uint64_t Fixed64() { return LittleEndian(Take(8)); }

  // Reads a varint of at most `limit`.
  uint64_t Varint(uint64_t limit = INT64_MAX) {
    // Nearly all varints take one or two bytes.
    if (bytes_.size() >= 2) {
      const uint64_t first = static_cast<uint8_t>(bytes_[0]), second = static_cast<uint8_t>(bytes_[1]);
      const bool is_single = first < 0x80;
      const uint64_t number = is_single ? first : (first & 0x7F) | second << 7;
      if ((is_single || second < 0x80) && number <= limit) {
        bytes_.remove_prefix(is_single ? 1 : 2);
        return number;
      }
    }
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const uint8_t byte = Byte();
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) {
        if (value > limit) Fail();
        return value;
      }
    }
    Fail();
  }

  // Reads a count of items that each take at least one of the remaining bytes.
  size_t Count() { return Varint(bytes_.size()); }

  std::string_view Text() { return Take(Count()); }

  [[noreturn]] void Fail() const { throw InputError(message_); }

 private:
  std::string_view bytes_;
  std::string message_;
};

}  // namespace haplospin
