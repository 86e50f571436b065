#include "core/threads.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <mutex>
#include <set>
#include <thread>

namespace haplospin {
namespace {

size_t ThreadsSeen() {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  tbb::parallel_for(0, 2000, [&](int) {
    std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  return seen.size();
}

TEST(Threads, DefaultIsEveryCore) {
  EXPECT_GE(AvailableThreads(), 1);
  EXPECT_LE(AvailableThreads(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(Threads, OneThreadMeansTheCaller) {
  SetThreads(1);
  EXPECT_EQ(Threads(), 1);
  EXPECT_EQ(ThreadsSeen(), 1u);
}

TEST(Threads, TheLastCallCounts) {
  SetThreads(1);
  SetThreads(3);
  EXPECT_EQ(Threads(), 3);
  EXPECT_EQ(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism), 3u);
  EXPECT_LE(ThreadsSeen(), 3u);
}

}  // namespace
}  // namespace haplospin
