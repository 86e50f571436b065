// The layout of a chart, and the paths of its series.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/axis_scale.h"

namespace haplospin {

// The plot is the rectangle from (left, top) to (right, bottom), in pixels.
struct ChartFrame {
  AxisScale x, y;
  double left, right, top, bottom;
  std::vector<std::string> names;               // of the legend, in its order
  std::vector<std::pair<double, double>> keys;  // where the entry of each begins

  double X(double value) const { return left + x.Place(value) * (right - left); }
  double Y(double value) const { return bottom - y.Place(value) * (bottom - top); }
  bool Shows(double x_value, double y_value) const { return x.Shows(x_value) && y.Shows(y_value); }
  const char* Color(const std::string& name) const;
};

inline constexpr const char* kNeutralColor = "#8a8a8a";
inline constexpr const char* kFirstColor = "#4285d0";

// Path data ("d" of <path>); empty if nothing can be shown.
std::string LinePath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y);
// Strokes of length 0, which are drawn as circles with round line caps.
std::string DotsPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> y);
std::string BandPath(const ChartFrame& frame, std::span<const double> x, std::span<const double> low,
                     std::span<const double> high);

}  // namespace haplospin
