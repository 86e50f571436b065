#include "report/chart_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace haplospin {
namespace {

constexpr const char* kColors[] = {kFirstColor, "#e07b2e", "#35a06a", "#c9568f",
                                   "#8b73d8",   "#b0932b", "#2aa3b8", "#d8564f"};

std::string Point(const ChartFrame& frame, double x, double y) {
  return fmt::format("{:.1f} {:.1f}", frame.X(x), frame.Y(y));
}

}  // namespace

const char* ChartFrame::Color(const std::string& name) const {
  const auto entry = std::ranges::find(names, name);
  if (entry == names.end()) return kNeutralColor;
  return kColors[static_cast<size_t>(entry - names.begin()) % std::size(kColors)];
}

std::string LinePath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y) {
  std::string path;
  bool is_open = false;
  for (size_t i = 0; i < x.size(); ++i) {
    const bool is_shown = frame.Shows(x[i], y[i]);
    if (is_shown) path += (is_open ? "L" : "M") + Point(frame, x[i], y[i]);
    is_open = is_shown;
  }
  return path;
}

std::string DotsPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y) {
  std::string path;
  for (size_t i = 0; i < x.size(); ++i) {
    if (frame.Shows(x[i], y[i])) path += "M" + Point(frame, x[i], y[i]) + "h0";
  }
  return path;
}

// Along the upper edge and back along the lower edge, between interruptions.
std::string BandPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> low,
                     std::span<const double> high) {
  std::string path;
  std::vector<std::string> back;
  const auto close = [&] {
    for (; !back.empty(); back.pop_back()) path += "L" + back.back() + (back.size() == 1 ? "z" : "");
  };
  for (size_t i = 0; i < x.size(); ++i) {
    if (!frame.Shows(x[i], low[i]) || !frame.y.Shows(high[i])) {
      close();
      continue;
    }
    path += (back.empty() ? "M" : "L") + Point(frame, x[i], high[i]);
    back.push_back(Point(frame, x[i], low[i]));
  }
  close();
  return path;
}

}  // namespace haplospin
