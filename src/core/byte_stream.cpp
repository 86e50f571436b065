#include "core/byte_stream.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kBytesAtATime = size_t{1} << 18;
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

struct FreeStream {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

}  // namespace

struct ByteStream::Zstd {
  std::unique_ptr<ZSTD_DStream, FreeStream> stream{ZSTD_createDStream()};
  std::vector<char> bytes = std::vector<char>(kBytesAtATime);
  ZSTD_inBuffer input{bytes.data(), 0, 0};
  bool is_between_frames = true;
};

ByteStream::ByteStream(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
  if (!file_) throw InputError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  buffer_.resize(kBytesAtATime);
  end_ = ReadFile(buffer_.data(), kZstdMagic.size());
  if (std::string_view(buffer_.data(), end_) != kZstdMagic) return;
  zstd_ = std::make_unique<Zstd>();
  HS_ASSERT(zstd_->stream != nullptr);
  std::ranges::copy(kZstdMagic, zstd_->bytes.begin());
  zstd_->input.size = end_;
  end_ = 0;
}

ByteStream::~ByteStream() = default;

bool ByteStream::AtEnd() {
  if (begin_ < end_) return false;
  begin_ = 0;
  end_ = Read(buffer_.data(), buffer_.size());
  return end_ == 0;
}

void ByteStream::Fill(size_t size) {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), buffer_.begin() + static_cast<std::ptrdiff_t>(end_),
            buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  while (end_ < size) {
    if (buffer_.size() - end_ < kBytesAtATime) buffer_.resize(std::max(2 * buffer_.size(), end_ + kBytesAtATime));
    const size_t length = Read(buffer_.data() + end_, buffer_.size() - end_);
    if (length == 0) Fail("truncated");
    end_ += length;
  }
}

// Returns 0 at the end of the file alone.
size_t ByteStream::Read(char* to, size_t size) {
  if (!zstd_) return ReadFile(to, size);
  ZSTD_outBuffer output{to, size, 0};
  while (output.pos == 0) {
    ZSTD_inBuffer& input = zstd_->input;
    if (input.pos == input.size) {
      input = {zstd_->bytes.data(), ReadFile(zstd_->bytes.data(), zstd_->bytes.size()), 0};
      if (input.size == 0 && !zstd_->is_between_frames) Fail("truncated");
      if (input.size == 0) return 0;
    }
    const size_t status = ZSTD_decompressStream(zstd_->stream.get(), &output, &input);
    if (ZSTD_isError(status) != 0) Fail("damaged");
    zstd_->is_between_frames = status == 0;
  }
  return output.pos;
}

// Reads bytes as they are in the file.
size_t ByteStream::ReadFile(char* to, size_t size) {
  const size_t length = std::fread(to, 1, size, file_.get());
  if (length < size && std::ferror(file_.get()) != 0) {
    throw InputError(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
  }
  return length;
}

void ByteStream::Fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}; copy or make the file again", path_, what));
}

}  // namespace haplospin
