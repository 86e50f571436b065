#include "genotypes/imputation/backends/gpu/kernel_code.h"

#include <cstddef>
#include <string_view>

#include "core/zstd_frame.h"
#include "haplospin/errors.h"

// The content of kernels.ptx.zst.
asm(R"(
  .pushsection .rodata
  .global kHaplospinKernelsBegin, kHaplospinKernelsEnd
  .hidden kHaplospinKernelsBegin, kHaplospinKernelsEnd
  kHaplospinKernelsBegin:
  .incbin ")" HAPLOSPIN_KERNELS R"("
  kHaplospinKernelsEnd:
  .popsection
)");

extern "C" const char kHaplospinKernelsBegin[], kHaplospinKernelsEnd[];

namespace haplospin {

std::string KernelCode() {
  const std::string_view file(kHaplospinKernelsBegin,
                              static_cast<size_t>(kHaplospinKernelsEnd - kHaplospinKernelsBegin));
  FrameDecompressor decompressor;
  const auto ptx = decompressor.Decompress(file, FrameContentSize(file).value_or(0));
  HS_ASSERT(ptx.has_value());
  return std::string(*ptx);
}

}  // namespace haplospin
