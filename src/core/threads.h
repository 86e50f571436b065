// The number of threads that the program may use.
#pragma once

namespace haplospin {

// The number of cores that this process may run on.
int AvailableThreads();

// Limits the threads of all of the program, the calling one included: those of oneTBB, and those that readers and
// writers of files start. Call it before any work; the last call counts. Results do not depend on the number. Code that
// uses LibTorch passes Threads() on to it (nn/device.h).
void SetThreads(int threads);

// Returns the number given to SetThreads(), or AvailableThreads().
int Threads();

}  // namespace haplospin
