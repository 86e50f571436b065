#include "core/run_report.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <fstream>

#include "core/progress.h"

namespace haplospin {
namespace {

using Clock = std::chrono::steady_clock;

const Clock::time_point kProcessStart = Clock::now();
bool has_begun = false;

constexpr double kMinute = 60;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

std::string TimeText(double seconds) {
  return seconds < kMinute ? fmt::format("{:.1f} s", seconds) : FormatDuration(seconds);
}

// VmHWM of Linux, because ru_maxrss also counts the program that started this one; 0 elsewhere.
int64_t PeakKibibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string name; status >> name;) {
    int64_t value = 0;
    if (name == "VmHWM:" && status >> value) return value;
  }
  return 0;
}

}  // namespace

void BeginRun() { has_begun = true; }
bool RunHasBegun() { return has_begun; }

std::string RunReportText() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const double wall = std::chrono::duration<double>(Clock::now() - kProcessStart).count();
  std::string text =
      fmt::format("{} wall time, {} CPU time", TimeText(wall), TimeText(Seconds(use.ru_utime) + Seconds(use.ru_stime)));
  if (const int64_t peak = PeakKibibytes()) text += fmt::format(", {} MiB peak memory", peak >> 10);
  return text;
}

}  // namespace haplospin
