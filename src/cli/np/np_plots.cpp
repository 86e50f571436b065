#include "cli/np/np_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace haplospin {
namespace {

constexpr size_t kCells = 48;
constexpr double kMaxGridCells = 200, kGridTolerance = 0.1;
constexpr int kChartWidth = 560, kChartHeight = 420;

std::vector<double> InOrder(const std::vector<double>& values, const std::vector<size_t>& order) {
  std::vector<double> sorted;
  sorted.reserve(order.size());
  for (const size_t i : order) sorted.push_back(values[i]);
  return sorted;
}

// The cells of an axis: one for each value of a grid on which all points lie, else kCells.
struct CellAxis {
  double low = 0, high = 1;  // outer edges
  size_t cells = kCells;

  explicit CellAxis(std::vector<double> values) {
    std::ranges::sort(values);
    low = values.front();
    high = values.back();
    const double step = GridStep(values);
    if (step > 0) {
      cells = static_cast<size_t>(std::lround((high - low) / step)) + 1;
      low -= 0.5 * step;
      high += 0.5 * step;
    }
    if (!(high > low)) {
      low -= 0.5;
      high += 0.5;
      cells = 1;
    }
  }

  // The smallest distance between sorted values where the others are multiples of it, else 0.
  static double GridStep(const std::vector<double>& sorted) {
    const double range = sorted.back() - sorted.front();
    double step = range;
    for (size_t i = 1; i < sorted.size(); ++i) {
      const double gap = sorted[i] - sorted[i - 1];
      if (gap > 1e-6 * range) step = std::min(step, gap);
    }
    if (!(step > 0) || range / step > kMaxGridCells) return 0;
    for (const double value : sorted) {
      const double steps = (value - sorted.front()) / step;
      if (std::abs(steps - std::round(steps)) > kGridTolerance) return 0;
    }
    return step;
  }

  size_t CellOf(double value) const {
    const double share = (value - low) / (high - low);
    return std::min(cells - 1, static_cast<size_t>(std::max(0.0, share * static_cast<double>(cells))));
  }
};

}  // namespace

std::vector<double> ToVector(const torch::Tensor& values) {
  const torch::Tensor flat = values.to(torch::kFloat64).contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

Chart CurveChart(const std::string& title, PredictedCurve curve) {
  std::vector<size_t> order(curve.x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return curve.x[i]; });
  const std::vector<double> x = InOrder(curve.x, order);
  Chart chart(title, {.title = curve.x_name}, {.title = curve.y_name});
  chart.AddBand("90 % interval", x, InOrder(curve.low, order), InOrder(curve.high, order));
  for (const auto& sample : curve.samples) chart.AddLine("samples", x, InOrder(sample, order), LineMarkers::kNone);
  chart.AddLine("mean", x, InOrder(curve.mean, order), LineMarkers::kNone);
  chart.AddPoints("context", curve.context_x, curve.context_y);
  return chart;
}

Chart MapChart(const std::string& title, const PredictedMap& map) {
  const CellAxis columns(map.x), rows(map.y);
  HeatMap heat{.x_low = columns.low,
               .x_high = columns.high,
               .y_low = rows.low,
               .y_high = rows.high,
               .columns = columns.cells,
               .rows = rows.cells};
  heat.values.assign(columns.cells * rows.cells, 0.0);
  std::vector<double> counts(heat.values.size(), 0.0);
  for (size_t i = 0; i < map.values.size(); ++i) {
    const size_t cell = rows.CellOf(map.y[i]) * columns.cells + columns.CellOf(map.x[i]);
    heat.values[cell] += map.values[i];
    counts[cell] += 1;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    heat.values[i] = counts[i] > 0 ? heat.values[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
  }
  Chart chart(title, {.title = map.x_name, .low = columns.low, .high = columns.high},
              {.title = map.y_name, .low = rows.low, .high = rows.high});
  chart.AddHeatMap(std::move(heat));
  if (!map.context_x.empty()) chart.AddPoints("context", map.context_x, map.context_y);
  return chart;
}

Chart CalibrationChart(const std::vector<double>& confidence, const std::vector<double>& covered) {
  Chart chart("Calibration", {.title = "probability of the central interval", .low = 0, .high = 1},
              {.title = "fraction of observations inside", .low = 0, .high = 1});
  chart.AddReferenceLine(0, 0, 1, 1);
  chart.AddLine("model", confidence, covered);
  return chart;
}

std::string ChartsDocument(const std::vector<Chart>& charts) {
  if (charts.size() == 1) return charts.front().SvgDocument();
  const auto width = kChartWidth * static_cast<int>(charts.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 "
      "{0} {1}\">\n",
      width, kChartHeight);
  for (size_t i = 0; i < charts.size(); ++i) {
    svg += fmt::format("<g transform=\"translate({},0)\">\n{}\n</g>\n", kChartWidth * static_cast<int>(i),
                       charts[i].Svg());
  }
  return svg + "</svg>\n";
}

}  // namespace haplospin
