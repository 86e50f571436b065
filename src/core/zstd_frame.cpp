#include "core/zstd_frame.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int kMinWindow = 10, kMaxWindow = 27;  // log2 of bytes; what any zstd decompresses
constexpr size_t kDescriptorByte = 4;            // follows the magic number of a frame
constexpr unsigned kChecksumFlag = 4;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::string CompressFrame(std::string_view bytes, int level) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  const auto check = [](size_t status) {
    HS_ASSERT(ZSTD_isError(status) == 0);
    return status;
  };
  HS_ASSERT(context != nullptr);
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level));
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1));
  // The whole block: similar haplotypes may be at its two ends.
  check(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog,
                               std::clamp(static_cast<int>(std::bit_width(bytes.size())), kMinWindow, kMaxWindow)));
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(check(ZSTD_compress2(context.get(), frame.data(), frame.size(), bytes.data(), bytes.size())));
  frame.shrink_to_fit();  // the frame may be kept for long
  return frame;
}

std::optional<uint64_t> FrameContentSize(std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return std::nullopt;
  return size;
}

std::optional<std::string_view> FrameDecompressor::Decompress(std::string_view frame, uint64_t size) {
  if (frame.size() <= kDescriptorByte || (static_cast<uint8_t>(frame[kDescriptorByte]) & kChecksumFlag) == 0)
    return std::nullopt;
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) return std::nullopt;
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return std::nullopt;
  if (bytes_.size() < size) bytes_.resize(size);
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  HS_ASSERT(context != nullptr);
  const size_t written = ZSTD_decompressDCtx(context.get(), bytes_.data(), bytes_.size(), frame.data(), frame.size());
  if (written != size) return std::nullopt;
  return std::string_view(bytes_.data(), size);
}

}  // namespace haplospin
