// How many threads LibTorch may use.
#pragma once

namespace haplospin {

// Sets the threads inside one LibTorch operation, and with them OpenMP's; an OpenBLAS with threads of its own gets one.
// While several threads of one's own call LibTorch at once, set 1: the product of both must not exceed the cores.
void SetTorchThreads(int threads);

}  // namespace haplospin
