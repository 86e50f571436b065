// How many threads a task arena can have.
#pragma once

#include <oneapi/tbb/global_control.h>

#include <algorithm>

namespace haplospin {

// At most what oneTBB may use in all, beyond which it prints a warning.
inline int ArenaSize(int threads) {
  const auto limit = static_cast<int>(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
  return std::clamp(threads, 1, std::max(limit, 1));
}

}  // namespace haplospin
