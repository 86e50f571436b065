#include "core/time_counter.h"

#include <gtest/gtest.h>

#include <thread>

namespace haplospin {
namespace {

void Wait(TimeCounter& counter, int threads = 1) {
  const ScopedTimer timer(counter, threads);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

TEST(TimeCounter, CountsNothingUnlessTimersAreOn) {
  TimeCounter counter;
  Wait(counter);
  EXPECT_EQ(counter.Seconds(), 0);
}

TEST(TimeCounter, AddsTheTimeOfTimersAndThreads) {
  TimeCounter counter, other;
  EnableTimers(true);
  Wait(counter);
  const double once = counter.Seconds();
  EXPECT_GE(once, 0.002);
  Wait(counter, 3);
  EnableTimers(false);
  EXPECT_GE(counter.Seconds(), once + 0.006);
  EXPECT_EQ(other.Seconds(), 0);
  counter.Reset();
  Wait(counter);
  EXPECT_EQ(counter.Seconds(), 0);
}

}  // namespace
}  // namespace haplospin
