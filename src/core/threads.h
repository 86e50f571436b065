// The number of threads that the program may use.
#pragma once

namespace haplospin {

// The number of cores that this process may run on.
int AvailableThreads();

// Limits oneTBB's threads, including the calling thread. Call it before any work; the last call counts. Code that uses
// LibTorch passes Threads() on to it (see nn/torch_threads.h).
void SetThreads(int threads);

// The number given to SetThreads(), or AvailableThreads().
int Threads();

// Of a oneTBB task arena for `threads`: at most what oneTBB may use in all, beyond which it prints a warning.
int ArenaSize(int threads);

}  // namespace haplospin
