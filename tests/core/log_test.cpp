#include "core/log.h"

#include <gtest/gtest.h>

#include "core/muted_log.h"

namespace haplospin {
namespace {

class Log : public testing::Test {
 protected:
  ~Log() override { SetQuiet(false); }

  std::string WriteAll() {
    testing::internal::CaptureStderr();
    LogInfo("{} markers", 3);
    LogWarning("{} has no index", "a.bcf");
    LogError("cannot read {{}}");
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, LinesSayWhoAndHowGrave) {
  EXPECT_EQ(WriteAll(),
            "haplospin: 3 markers\n"
            "haplospin: warning: a.bcf has no index\n"
            "haplospin: error: cannot read {}\n");
}

TEST_F(Log, QuietKeepsWarningsAndErrors) {
  SetQuiet(true);
  EXPECT_EQ(WriteAll(),
            "haplospin: warning: a.bcf has no index\n"
            "haplospin: error: cannot read {}\n");
}

// Text from files must not be taken for a format.
TEST_F(Log, BracesAndPercentSignsInTextAreKept) {
  testing::internal::CaptureStderr();
  LogMessage(LogLevel::kInfo, "{x} %v %s");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "haplospin: {x} %v %s\n");
}

TEST_F(Log, WhatIsMutedIsNotTold) {
  testing::internal::CaptureStderr();
  {
    const MutedLog muted;
    const MutedLog nested;
    LogInfo("info");
    LogWarning("warning");
    LogError("told");
  }
  LogInfo("after");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "haplospin: error: told\nhaplospin: after\n");
}

}  // namespace
}  // namespace haplospin
