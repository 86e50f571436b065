#include "haplospin/core/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "haplospin/core/log.h"

namespace haplospin {
namespace {

// Standard error is a file under test, so these see what a log sees.

TEST(Progress, FinishWritesOneLine) {
  testing::internal::CaptureStderr();
  Progress progress("imputing chr20", "Mb", 3);
  progress.Advance(1);
  progress.Set(3);
  progress.SetNote("2 windows");
  progress.Finish();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("haplospin: imputing chr20: 3 Mb in 0:0[0-9].*, 2 windows\n"));
}

TEST(Progress, AnInterruptedOneWritesNothingInALog) {
  testing::internal::CaptureStderr();
  { Progress("imputing chr20", "Mb", 3).Advance(1); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, QuietWritesNothing) {
  SetQuiet(true);
  testing::internal::CaptureStderr();
  Progress progress("imputing chr20", "Mb", 3);
  progress.Advance(3);
  progress.Finish();
  SetQuiet(false);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, ThreadsMayAdvanceIt) {
  testing::internal::CaptureStderr();
  Progress progress("counting", "steps", 4000);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) progress.Advance(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  progress.Finish();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::StartsWith("haplospin: counting: 4000 steps in "));
}

}  // namespace
}  // namespace haplospin
