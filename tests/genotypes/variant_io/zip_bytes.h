// Archives for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace haplospin {

// The bytes of a .zip archive of these files: name and text.
inline std::string ZipBytes(const std::vector<std::pair<std::string, std::string>>& files, bool is_deflated = true) {
  const auto number = [](uint64_t value, size_t bytes) {
    std::string text;
    for (size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255u);
    return text;
  };
  std::string archive, directory;
  for (const auto& [name, text] : files) {
    std::string data = text;
    if (is_deflated) {
      data.resize(compressBound(text.size()));
      z_stream stream{};
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
      stream.avail_in = static_cast<uInt>(text.size());
      stream.next_out = reinterpret_cast<Bytef*>(data.data());
      stream.avail_out = static_cast<uInt>(data.size());
      deflate(&stream, Z_FINISH);
      data.resize(stream.total_out);
      deflateEnd(&stream);
    }
    const uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
    const std::string shared = number(0, 2) + number(is_deflated ? 8 : 0, 2) + number(0, 4) + number(crc, 4) +
                               number(data.size(), 4) + number(text.size(), 4) + number(name.size(), 2) + number(0, 2);
    directory += "PK\x01\x02" + number(20, 2) + number(20, 2) + shared + number(0, 2) + number(0, 2) + number(0, 2) +
                 number(0, 4) + number(archive.size(), 4) + name;
    archive += "PK\x03\x04" + number(20, 2) + shared + name + data;
  }
  return archive + directory + "PK\x05\x06" + number(0, 4) + number(files.size(), 2) + number(files.size(), 2) +
         number(directory.size(), 4) + number(archive.size(), 4) + number(0, 2);
}

}  // namespace haplospin
