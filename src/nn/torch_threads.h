// The number of threads that LibTorch may use.
#pragma once

namespace haplospin {

// Sets the number of threads inside one LibTorch operation, and OpenMP's; an OpenBLAS with its own threads gets one. If
// several threads of the caller use LibTorch at the same time, set 1: the product of both must not exceed the number of
// cores.
void SetTorchThreads(int threads);

}  // namespace haplospin
