// How many threads the program may use.
#pragma once

namespace haplospin {

// Cores this process may run on.
int AvailableThreads();

// Bounds oneTBB's workers, the calling thread included. Call it before any work; the last call counts. Code that uses
// LibTorch hands Threads() on to it (see nn/torch_threads.h).
void SetThreads(int threads);

// What SetThreads() was given, or AvailableThreads().
int Threads();

// Of a oneTBB task arena for `threads`: at most what oneTBB may use in all, beyond which it prints a warning.
int ArenaSize(int threads);

}  // namespace haplospin
