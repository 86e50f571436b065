// A number of threads for a part of a test.
#pragma once

#include "core/threads.h"

namespace haplospin {

class ScopedThreads {
 public:
  explicit ScopedThreads(int threads) { SetThreads(threads); }
  ~ScopedThreads() { SetThreads(AvailableThreads()); }
  ScopedThreads(const ScopedThreads&) = delete;
  ScopedThreads& operator=(const ScopedThreads&) = delete;
};

}  // namespace haplospin
