#include "core/progress/progress_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace haplospin {
namespace {

const ProgressState kHalf{
    .title = "imputing chr20", .unit = "Mb", .done = 31.5, .total = 63, .seconds = 24.2, .note = ""};

TEST(ProgressText, Durations) {
  EXPECT_EQ(FormatDuration(0), "0:00");
  EXPECT_EQ(FormatDuration(7.4), "0:07");
  EXPECT_EQ(FormatDuration(59.6), "1:00");
  EXPECT_EQ(FormatDuration(754), "12:34");
  EXPECT_EQ(FormatDuration(3723), "1:02:03");
  EXPECT_EQ(FormatDuration(360000), "100:00:00");
  EXPECT_EQ(FormatDuration(-1), "0:00");
}

TEST(ProgressText, Line) {
  EXPECT_EQ(ProgressLineText(kHalf), "imputing chr20: 50 %, 31.5 of 63 Mb, 1.30 Mb/s, 0:24 left");
}

TEST(ProgressText, LineWithANote) {
  ProgressState state = kHalf;
  state.note = "loss 0.012";
  EXPECT_EQ(ProgressLineText(state), "imputing chr20: 50 %, 31.5 of 63 Mb, 1.30 Mb/s, 0:24 left, loss 0.012");
}

TEST(ProgressText, NoTimeLeftAtTheBeginning) {
  ProgressState state = kHalf;
  state.done = 0.004 * state.total;
  EXPECT_THAT(ProgressLineText(state), testing::Not(testing::HasSubstr("left")));
}

TEST(ProgressText, NothingDoneHasNoRate) {
  ProgressState state = kHalf;
  state.done = 0;
  EXPECT_EQ(ProgressLineText(state), "imputing chr20: 0 %, 0 of 63 Mb");
}

TEST(ProgressText, UnknownTotalHasNoShare) {
  ProgressState state = kHalf;
  state.total = 0;
  EXPECT_EQ(ProgressLineText(state), "imputing chr20: 31.5 Mb, 1.30 Mb/s");
}

TEST(ProgressText, NeverSaysAllIsDoneBeforeItIs) {
  ProgressState state = kHalf;
  state.done = 62.999;
  EXPECT_NE(ProgressLineText(state).find("99 %"), std::string::npos);
}

TEST(ProgressText, Summary) {
  ProgressState state = kHalf;
  state.done = 63;
  state.seconds = 48.2;
  EXPECT_EQ(ProgressSummaryText(state), "imputing chr20: 63 Mb in 0:48, 1.31 Mb/s");
}

TEST(ProgressText, BarFillsWithTheShareDone) {
  EXPECT_EQ(ProgressBarText(kHalf, 120),
            "imputing chr20 [###############---------------] 50 %, 31.5 of 63 Mb, 1.30 Mb/s, 0:24 left");
}

TEST(ProgressText, BarNeverPassesTheWidth) {
  for (int width = 0; width < 130; ++width) {
    for (const double done : {0.0, 1.0, 31.5, 63.0, 80.0}) {
      ProgressState state = kHalf;
      state.done = done;
      EXPECT_LE(ProgressBarText(state, width).size(), static_cast<size_t>(width));
    }
  }
}

}  // namespace
}  // namespace haplospin
