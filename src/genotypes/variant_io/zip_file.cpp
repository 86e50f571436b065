#include "genotypes/variant_io/zip_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/little_endian.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The records of the format: where their fields are, and how long they are without names and comments.
constexpr std::string_view kLocalMagic("PK\x03\x04", 4), kEntryMagic("PK\x01\x02", 4), kEndMagic("PK\x05\x06", 4);
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kMaxComment = 65535;
constexpr size_t kMaxDirectory = size_t{1} << 20;
constexpr unsigned kHasPassword = 1, kStored = 0, kDeflated = 8;

constexpr size_t kChunk = size_t{1} << 16;

struct Entry {
  std::string name;
  unsigned flags = 0, method = 0;
  uint64_t crc = 0, compressed = 0, offset = 0;
};

uint64_t Number(std::string_view bytes, size_t offset, size_t count) {
  return LittleEndian(bytes.substr(offset, count));
}

bool IsText(const Entry& entry) {
  return std::ranges::any_of(std::array{".txt", ".csv", ".tsv", ".TXT", ".CSV"},
                             [&](const char* ending) { return entry.name.ends_with(ending); });
}

bool IsHidden(const Entry& entry) {
  const size_t slash = entry.name.rfind('/');
  const std::string_view name = std::string_view(entry.name).substr(slash == std::string::npos ? 0 : slash + 1);
  return name.empty() || name.starts_with('.') || entry.name.starts_with("__MACOSX/");
}

class ZipReader {
 public:
  explicit ZipReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    file_.seekg(0, std::ios::end);
    size_ = file_ ? static_cast<uint64_t>(file_.tellg()) : 0;
  }

  std::string Read(size_t max_bytes) {
    const Entry entry = ChooseEntry();
    if ((entry.flags & kHasPassword) != 0) Fail("has a password; unpack it and give the file that is in it");
    const std::string local = Bytes(entry.offset, kLocalBytes);
    if (!local.starts_with(kLocalMagic)) FailDamaged();
    const uint64_t begin = entry.offset + kLocalBytes + Number(local, 26, 2) + Number(local, 28, 2);
    if (begin > size_ || entry.compressed > size_ - begin) FailDamaged();
    if (entry.method != kStored && entry.method != kDeflated) {
      Fail("compressed in an unusual way; unpack it and give the file that is in it");
    }
    std::string text = entry.method == kStored ? Bytes(begin, std::min<uint64_t>(entry.compressed, max_bytes))
                                               : Inflate(entry, begin, max_bytes);
    if (text.size() < max_bytes && Checksum(text) != entry.crc) FailDamaged();
    return text;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const { throw InputError(path_ + ": a .zip archive, " + what); }
  [[noreturn]] void FailDamaged() const { Fail("truncated or damaged; download or copy the file again"); }

  std::string Bytes(uint64_t offset, uint64_t count) {
    if (offset > size_ || count > size_ - offset) FailDamaged();
    std::string bytes(count, '\0');
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    if (!file_.read(bytes.data(), static_cast<std::streamsize>(count))) FailDamaged();
    return bytes;
  }

  std::string Directory() {
    const uint64_t tail_bytes = std::min<uint64_t>(size_, kEndBytes + kMaxComment);
    const std::string tail = Bytes(size_ - tail_bytes, tail_bytes);
    const size_t end = tail.rfind(kEndMagic);
    if (end == std::string::npos || tail.size() - end < kEndBytes) FailDamaged();
    const uint64_t bytes = Number(tail, end + 12, 4);
    if (bytes > kMaxDirectory) Fail("of many files; unpack it and give the one with the genotypes");
    return Bytes(Number(tail, end + 16, 4), bytes);
  }

  std::vector<Entry> Entries() {
    const std::string directory = Directory();
    std::vector<Entry> entries;
    for (size_t at = 0; at < directory.size();) {
      const std::string_view rest = std::string_view(directory).substr(at);
      if (rest.size() < kEntryBytes || !rest.starts_with(kEntryMagic)) FailDamaged();
      const size_t name_bytes = Number(rest, 28, 2);
      if (rest.size() - kEntryBytes < name_bytes) FailDamaged();
      entries.push_back({.name = std::string(rest.substr(kEntryBytes, name_bytes)),
                         .flags = static_cast<unsigned>(Number(rest, 8, 2)),
                         .method = static_cast<unsigned>(Number(rest, 10, 2)),
                         .crc = Number(rest, 16, 4),
                         .compressed = Number(rest, 20, 4),
                         .offset = Number(rest, 42, 4)});
      at += kEntryBytes + name_bytes + Number(rest, 30, 2) + Number(rest, 32, 2);
    }
    return entries;
  }

  Entry ChooseEntry() {
    std::vector<Entry> entries = Entries();
    std::erase_if(entries, IsHidden);
    if (entries.size() > 1) std::erase_if(entries, [](const Entry& entry) { return !IsText(entry); });
    if (entries.size() != 1) {
      Fail(fmt::format("which has {} in place of one; unpack it and give the one with the genotypes",
                       entries.empty() ? "no file" : "several files"));
    }
    return entries[0];
  }

  // Sizes in the archive are not believed: it ends where the data do, or at `max_bytes`.
  std::string Inflate(const Entry& entry, uint64_t begin, size_t max_bytes) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) FailDamaged();
    std::string text, input;
    std::array<char, kChunk> output{};
    int status = Z_OK;
    for (uint64_t end = begin + entry.compressed; status == Z_OK && text.size() < max_bytes;) {
      if (stream.avail_in == 0 && begin < end) {
        input.resize(std::min<uint64_t>(kChunk, end - begin));
        file_.clear();
        file_.seekg(static_cast<std::streamoff>(begin));
        file_.read(input.data(), static_cast<std::streamsize>(input.size()));
        begin += input.size();
        stream.next_in = reinterpret_cast<Bytef*>(input.data());
        stream.avail_in = static_cast<uInt>(input.size());
      }
      stream.next_out = reinterpret_cast<Bytef*>(output.data());
      stream.avail_out = static_cast<uInt>(output.size());
      status = inflate(&stream, Z_NO_FLUSH);
      text.append(output.data(), output.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (text.size() < max_bytes && status != Z_STREAM_END) FailDamaged();
    text.resize(std::min(text.size(), max_bytes));
    return text;
  }

  static uint64_t Checksum(const std::string& text) {
    return crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  }

  const std::string path_;
  std::ifstream file_;
  uint64_t size_ = 0;
};

}  // namespace

bool IsZip(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::string head(kLocalMagic.size(), '\0');
  return std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size())) &&
         head == kLocalMagic;
}

std::string ReadZippedFile(const std::string& path, size_t max_bytes) { return ZipReader(path).Read(max_bytes); }

}  // namespace haplospin
