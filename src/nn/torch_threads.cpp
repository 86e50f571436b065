#include "haplospin/nn/torch_threads.h"

#include <ATen/Parallel.h>

// Where LibTorch's linear algebra is OpenBLAS with threads of its own, these do not heed LibTorch's number, and wait for
// work by spinning.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int threads);

namespace haplospin {

void SetTorchThreads(int threads) {
  at::set_num_threads(threads);
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

}  // namespace haplospin
