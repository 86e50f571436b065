#include "core/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/log.h"
#include "core/signals.h"

namespace haplospin {
namespace {

// Runs `action` in a child whose standard error is a terminal, and returns what appears on that.
std::string OnTerminal(const std::function<void()>& action) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    action();
    _exit(0);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(terminal, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(count));
  waitpid(child, nullptr, 0);
  close(terminal);
  return text;
}

// A bar is drawn at most ten times a second, and not in the first tenth.
void WaitForBar() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }

constexpr char kErase[] = "\r\033[K";

TEST(ProgressOnTerminal, FinishReplacesTheBarByALine) {
  const std::string text = OnTerminal([] {
    Progress progress("imputing", "Mb", 4);
    WaitForBar();
    progress.Set(2);
    progress.Set(4);
    progress.Finish();
  });
  EXPECT_THAT(text, testing::StartsWith("imputing ["));
  EXPECT_THAT(text, testing::HasSubstr("50 %, 2 of 4 Mb"));
  EXPECT_THAT(text, testing::HasSubstr(std::string(kErase) + "haplospin: imputing: 100 %, 4 Mb in 0:"));
}

// What is mostly read or computed at once has a bar only from two seconds on.
TEST(ProgressOnTerminal, AFileIsShownAfterTwoSeconds) {
  const std::string text = OnTerminal([] {
    Progress progress("fitting", "steps", 0, ProgressKind::kFile);
    WaitForBar();
    progress.Set(2);
    std::this_thread::sleep_for(std::chrono::seconds(2));
    progress.Set(7);
    progress.Finish();
  });
  EXPECT_THAT(text, testing::StartsWith("fitting 7 steps"));
}

TEST(ProgressOnTerminal, AnErrorStartsOnACleanLine) {
  const std::string text = OnTerminal([] {
    try {
      Progress progress("imputing", "Mb", 4);
      WaitForBar();
      progress.Set(2);
      throw std::runtime_error("cannot read a.bcf");
    } catch (const std::runtime_error& error) {
      LogError("{}", error.what());
    }
  });
  EXPECT_THAT(text, testing::EndsWith(std::string(kErase) + "haplospin: error: cannot read a.bcf\r\n"));
}

TEST(ProgressOnTerminal, MessagesAppearAboveTheBar) {
  const std::string text = OnTerminal([] {
    Progress progress("imputing", "Mb", 4);
    WaitForBar();
    progress.Set(2);
    LogWarning("a.bcf has no index");
  });
  EXPECT_THAT(text, testing::HasSubstr(std::string(kErase) + "haplospin: warning: a.bcf has no index\r\nimputing ["));
  EXPECT_THAT(text, testing::EndsWith(kErase));
}

TEST(ProgressOnTerminal, ASignalTakesTheBarAway) {
  const std::string text = OnTerminal([] {
    InstallSignalHandlers();
    Progress progress("imputing", "Mb", 4);
    WaitForBar();
    progress.Set(2);
    std::raise(SIGTERM);
  });
  EXPECT_THAT(text, testing::StartsWith("imputing ["));
  EXPECT_THAT(text, testing::EndsWith(std::string(kErase) +
                                      "haplospin: error: stopped by SIGTERM; no output is half-written\r\n"));
}

// In the tests below standard error is a file, so these see what a log sees.

TEST(Progress, FinishWritesOneLine) {
  testing::internal::CaptureStderr();
  Progress progress("imputing chr20", "Mb", 3);
  progress.Advance(1);
  progress.Set(3);
  progress.SetNote("2 windows");
  progress.Finish();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("haplospin: imputing chr20: 100 %, 3 Mb in 0:0[0-9].*, 2 windows\n"));
}

// What a job leaves in a log if it shows a part of 4 Mb and then ends or fails.
std::string LogOf(double part, bool fails) {
  testing::internal::CaptureStderr();
  try {
    Progress progress("imputing", "Mb", 4, ProgressKind::kJob, std::chrono::milliseconds(1));
    WaitForBar();
    if (part > 0) progress.Set(part);
    if (fails) throw std::runtime_error("");
  } catch (const std::runtime_error&) {
  }
  return testing::internal::GetCapturedStderr();
}

TEST(Progress, TheLastLineOfALogIsOfTheWhole) {
  const std::string text = LogOf(3.7, false);
  EXPECT_THAT(text, testing::StartsWith("haplospin: imputing: 92 %, 3.70 of 4 Mb"));
  EXPECT_THAT(text, testing::HasSubstr("\nhaplospin: imputing: 100 %, 4 of 4 Mb"));
  EXPECT_THAT(LogOf(3.7, true), testing::Not(testing::HasSubstr("100 %")));
  EXPECT_EQ(LogOf(0, false), "") << "a job that has shown nothing";
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
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith("haplospin: counting: 100 %, 4000 steps in "));
}

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

TEST(ProgressText, AResumedJobIsAsFastAsItIsSinceThen) {
  const ProgressState resumed{
      .title = "training", .unit = "steps", .done = 5000, .total = 10000, .seconds = 100, .note = "", .before = 4500};
  EXPECT_EQ(ProgressLineText(resumed), "training: 50 %, 5000 of 10000 steps, 5 steps/s, 16:40 left");
  EXPECT_THAT(ProgressSummaryText(resumed), testing::EndsWith("5 steps/s"));
}

TEST(ProgressText, AJobOfASeriesTellsTheTimeLeftForAll) {
  ProgressState state = kHalf;
  state.series = {.done = 0.5, .before = 0.1, .seconds = 60};
  EXPECT_EQ(ProgressLineText(state), "imputing chr20: 50 %, 31.5 of 63 Mb, 1.30 Mb/s, all 50 %, 1:15 left");
  state.series->done = 0.1;
  EXPECT_THAT(ProgressLineText(state), testing::EndsWith("1.30 Mb/s, all 10 %"));
}

// The job with an expected time of 3 has two parts that show progress, one after the other.
TEST(ProgressSeries, SharesAreThoseOfTheExpectedTimes) {
  ProgressSeries series({5, 3, 2});
  series.Skip();
  EXPECT_DOUBLE_EQ(series.State(0).done, 0.5);
  EXPECT_DOUBLE_EQ(series.State(0).before, 0.5);
  series.Begin();
  EXPECT_DOUBLE_EQ(series.State(0.5).done, 0.65);
  EXPECT_DOUBLE_EQ(series.State(0.1).done, 0.65);
  EXPECT_DOUBLE_EQ(series.State(1).done, 0.8);
  series.Begin();
  EXPECT_DOUBLE_EQ(series.State(0).done, 0.8);
  EXPECT_DOUBLE_EQ(series.State(1).done, 1);
  EXPECT_DOUBLE_EQ(series.State(1).before, 0.5);
}

TEST(ProgressSeries, JobsOfUnknownTimeAreEqual) {
  ProgressSeries series({0, 0});
  series.Begin();
  EXPECT_DOUBLE_EQ(series.State(1).done, 0.5);
}

TEST(ProgressSeries, LinesOfJobsShowIt) {
  testing::internal::CaptureStderr();
  {
    ProgressSeries series({1, 1});
    series.Begin();
    Progress progress("imputing 1", "Mb", 4, ProgressKind::kJob, std::chrono::milliseconds(1));
    WaitForBar();
    progress.Set(2);
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex("imputing 1: 50 %, 2 of 4 Mb, .* Mb/s, all 25 %, 0:0[0-9] left\n"));
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
  EXPECT_EQ(ProgressSummaryText(state), "imputing chr20: 100 %, 63 Mb in 0:48, 1.31 Mb/s");
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
