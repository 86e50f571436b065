#include "report/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr double kMaxTicks = 7;
constexpr double kRounding = 1e-9;  // fraction of a step within which a tick lies on the end of the axis

// The smallest of 1, 2 and 5 times a power of ten that is at least the value.
double RoundUp(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double factor : {1., 2., 5.}) {
    if (factor * power >= value * (1 - kRounding)) return factor * power;
  }
  return 10 * power;
}

// The largest such number that is at most the value.
double RoundDown(double value) {
  const double power = std::pow(10, std::floor(std::log10(value) + kRounding));
  for (const double factor : {5., 2.}) {
    if (factor * power <= value * (1 + kRounding)) return factor * power;
  }
  return power;
}

std::string LinearLabel(double value, double step, double largest) {
  if (std::abs(value) < step / 2) return "0";
  if (largest >= 1e6 || step < 1e-4) return fmt::format("{:.6g}", value);
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + kRounding)));
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

AxisScale::AxisScale(const ChartAxis& axis, std::span<const double> values)
    : is_log_(axis.is_log),
      low_(axis.low.value_or(NAN)),
      high_(axis.high.value_or(NAN)),
      is_low_free_(!axis.low),
      is_high_free_(!axis.high) {
  if (!axis.labels.empty()) {
    AddLabels(axis.labels);
    return;
  }
  FindRange(values);
  is_log_ ? AddLogTicks() : AddLinearTicks();
}

bool AxisScale::Shows(double value) const { return std::isfinite(value) && (!is_log_ || value > 0); }

double AxisScale::Place(double value) const {
  const double place = is_log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return std::clamp(place, 0., 1.);
}

void AxisScale::FindRange(std::span<const double> values) {
  double smallest = INFINITY, largest = -INFINITY;
  for (const double value : values) {
    if (!Shows(value)) continue;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  if (smallest > largest) smallest = largest = 1;
  if (is_low_free_) low_ = is_high_free_ ? smallest : std::min(smallest, high_);
  if (is_high_free_) high_ = std::max(largest, low_);
  if (low_ < high_) return;
  // A single value gets a margin on either side.
  const double margin = low_ == 0 ? 1 : std::abs(low_) / 2;
  low_ -= margin;
  high_ += margin;
}

void AxisScale::AddLinearTicks() {
  const double step = RoundUp((high_ - low_) / kMaxTicks);
  if (is_low_free_) low_ = step * std::floor(low_ / step + kRounding);
  if (is_high_free_) high_ = step * std::ceil(high_ / step - kRounding);
  const double largest = std::max(std::abs(low_), std::abs(high_));
  for (double i = std::ceil(low_ / step - kRounding); i * step <= high_ + kRounding * step; ++i) {
    ticks_.push_back({i * step, LinearLabel(i * step, step, largest)});
  }
}

// Powers of ten, and 2 and 5 times these: with a label on a short axis, small ticks on a long one.
void AxisScale::AddLogTicks() {
  if (is_low_free_) low_ = RoundDown(low_);
  if (is_high_free_) high_ = RoundUp(high_);
  const double first = std::floor(std::log10(low_) + kRounding), last = std::ceil(std::log10(high_) - kRounding);
  const double labels_every = std::max(1., std::ceil((last - first) / kMaxTicks));
  for (double exponent = first; exponent <= last; ++exponent) {
    for (const double factor : {1., 2., 5.}) {
      const double value = factor * std::pow(10, exponent);
      if (value < low_ * (1 - kRounding) || value > high_ * (1 + kRounding)) continue;
      const bool has_label =
          factor == 1 ? std::fmod(exponent - first, labels_every) == 0 : last - first <= kMaxTicks / 2;
      if (has_label || labels_every == 1) ticks_.push_back({value, has_label ? fmt::format("{:.6g}", value) : ""});
    }
  }
}

void AxisScale::AddLabels(const std::vector<std::string>& labels) {
  is_log_ = false;
  low_ = -0.5;
  high_ = static_cast<double>(labels.size()) - 0.5;
  for (size_t i = 0; i < labels.size(); ++i) {
    ticks_.push_back({static_cast<double>(labels.size() - 1 - i), labels[i]});
  }
}

}  // namespace haplospin
