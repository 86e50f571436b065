// An axis of a chart.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace haplospin {

struct ChartAxis {
  std::string title;
  bool is_log = false;
  std::optional<double> low, high;  // ends of the axis; without: round numbers about what is drawn
  std::vector<std::string> labels;  // labels of the y axis, from the top, instead of numbers
};

struct Tick {
  double value;
  std::string label;  // empty: a small tick
};

// The range of an axis, its ticks, and the position of a value on it.
class AxisScale {
 public:
  // The axis for `values`; values that it cannot show are ignored.
  AxisScale(const ChartAxis& axis, std::span<const double> values);

  double low() const { return low_; }
  double high() const { return high_; }
  const std::vector<Tick>& ticks() const { return ticks_; }

  // Returns whether the axis can show the value: finite, and above 0 if logarithmic.
  bool Shows(double value) const;

  // 0 at low() and 1 at high(), clipped to that.
  double Place(double value) const;

 private:
  void FindRange(std::span<const double> values);
  void AddLinearTicks();
  void AddLogTicks();
  void AddLabels(const std::vector<std::string>& labels);

  bool is_log_;
  double low_, high_;
  bool is_low_free_, is_high_free_;
  std::vector<Tick> ticks_;
};

}  // namespace haplospin
