// The text of a progress display.
#pragma once

#include <string>

namespace haplospin {

struct ProgressState {
  std::string title;
  std::string unit;
  double done = 0;
  double total = 0;  // 0: not known
  double seconds = 0;
  std::string note;
};

// "0:07", "12:34", "1:02:03".
std::string FormatDuration(double seconds);

// "imputing chr20 [#####-----] 50 %, 31.5 of 63.0 Mb, 1.3 Mb/s, 0:24 left", at most `width` characters.
std::string ProgressBarText(const ProgressState& state, int width);

// "imputing chr20: 50 %, 31.5 of 63.0 Mb, 1.3 Mb/s, 0:24 left".
std::string ProgressLineText(const ProgressState& state);

// "imputing chr20: 63.0 Mb in 0:48, 1.3 Mb/s".
std::string ProgressSummaryText(const ProgressState& state);

}  // namespace haplospin
