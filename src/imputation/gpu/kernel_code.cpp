#include "imputation/gpu/kernel_code.h"

#include <cstddef>
#include <string_view>

#include "core/zstd_frame.h"
#include "haplospin/errors.h"

// The content of kernels.ptx.zst.
asm(R"(
  .pushsection .rodata
  .global haplospin_kernels_begin, haplospin_kernels_end
  .hidden haplospin_kernels_begin, haplospin_kernels_end
  haplospin_kernels_begin:
  .incbin ")" HAPLOSPIN_KERNELS R"("
  haplospin_kernels_end:
  .popsection
)");

extern "C" const char haplospin_kernels_begin[], haplospin_kernels_end[];

namespace haplospin {

std::string KernelCode() {
  const std::string_view file(haplospin_kernels_begin,
                              static_cast<size_t>(haplospin_kernels_end - haplospin_kernels_begin));
  FrameDecompressor decompressor;
  const auto ptx = decompressor.Decompress(file, FrameContentSize(file).value_or(0));
  HS_ASSERT(ptx.has_value());
  return std::string(*ptx);
}

}  // namespace haplospin
