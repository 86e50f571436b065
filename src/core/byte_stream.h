// The bytes of a file in order, plain or compressed with zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/little_endian.h"

namespace haplospin {

class ByteStream {
 public:
  // Tells by its first bytes whether the file is compressed. Throws InputError if it cannot be opened.
  explicit ByteStream(const std::string& path);
  ~ByteStream();

  const std::string& path() const { return path_; }

  // Returns the next bytes, which stay valid until the next call. Throws InputError if the file ends before. Memory
  // grows only with bytes that are there, whatever `size` is.
  std::string_view Take(size_t size) {
    if (size > end_ - begin_) Fill(size);
    begin_ += size;
    return {buffer_.data() + begin_ - size, size};
  }

  // The next bytes as an integer, lowest byte first.
  template <typename Integer>
  Integer Little() {
    return static_cast<Integer>(LittleEndian(Take(sizeof(Integer))));
  }

  // The next bytes as an integer, highest byte first.
  template <typename Integer>
  Integer Big() {
    uint64_t value = 0;
    for (const char byte : Take(sizeof(Integer))) value = value << 8 | static_cast<uint8_t>(byte);
    return static_cast<Integer>(value);
  }

  bool AtEnd();

  // Throws InputError "FILE: what; copy or make the file again".
  [[noreturn]] void Fail(const std::string& what) const;

 private:
  struct Zstd;
  struct FileCloser {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void Fill(size_t size);
  size_t Read(char* to, size_t size);
  size_t ReadFile(char* to, size_t size);

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::unique_ptr<Zstd> zstd_;  // null where the file is plain
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what is left in the buffer
};

}  // namespace haplospin
