#include "haplospin/nn/torch_threads.h"

#include <ATen/Parallel.h>

namespace haplospin {

void SetTorchThreads(int threads) { at::set_num_threads(threads); }

}  // namespace haplospin
