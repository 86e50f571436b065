#include "core/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>

#include <memory>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The limit lives until the process ends, as oneTBB's worker threads do.
std::unique_ptr<tbb::global_control> control;
int chosen = 0;

}  // namespace

int AvailableThreads() { return tbb::info::default_concurrency(); }

void SetThreads(int threads) {
  HS_ASSERT(threads >= 1);
  // oneTBB uses the smallest of several limits, so the previous one is removed first.
  control.reset();
  control = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threads);
  chosen = threads;
}

int Threads() { return chosen > 0 ? chosen : AvailableThreads(); }

}  // namespace haplospin
