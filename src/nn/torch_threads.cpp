#include "nn/torch_threads.h"

#include <ATen/Parallel.h>

// OpenBLAS, where that is LibTorch's linear algebra.
extern "C" {
__attribute__((weak)) int openblas_get_parallel();  // 1: with threads of its own, 2: with OpenMP's
__attribute__((weak)) void openblas_set_num_threads(int threads);
}

namespace haplospin {

void SetTorchThreads(int threads) {
  at::set_num_threads(threads);
  // OpenBLAS's own threads spin while waiting for work, which slows down LibTorch's threads: with two of each, training
  // on a small table took six times as long as with one. OpenMP threads are shared with LibTorch.
  constexpr int kOwnThreads = 1;
  if (openblas_get_parallel != nullptr && openblas_get_parallel() == kOwnThreads) openblas_set_num_threads(1);
}

}  // namespace haplospin
