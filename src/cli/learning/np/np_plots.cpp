#include "cli/learning/np/np_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace haplospin {
namespace {

constexpr size_t kCells = 48;
constexpr double kMaxGridCells = 200, kGridTolerance = 0.1;
constexpr int kChartWidth = 560, kChartHeight = 420;

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

  size_t CellIndex(double value) const {
    const double share = (value - low) / (high - low);
    return std::min(cells - 1, static_cast<size_t>(std::max(0.0, share * static_cast<double>(cells))));
  }
};

}  // namespace

std::vector<double> ColumnValues(const torch::Tensor& values, int64_t column) {
  const torch::Tensor flat = values.select(1, column).to(torch::kFloat64).contiguous();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

Chart CurveChart(const PlotNames& names, const torch::Tensor& context_x, const torch::Tensor& context_y,
                 const torch::Tensor& target_x, const Prediction& prediction, const torch::Tensor& samples) {
  const torch::Tensor order = target_x.select(1, 0).argsort();
  const auto sorted = [&](const torch::Tensor& values) { return ColumnValues(values.index_select(0, order), 0); };
  const auto quantile = [&](double probability) { return sorted(MixtureQuantile(prediction, probability)[0]); };
  const std::vector<double> x = sorted(target_x);
  Chart chart(names.output, {.title = names.inputs[0]}, {.title = names.output});
  chart.AddBand("90 % interval", x, quantile(0.05), quantile(0.95));
  for (int64_t k = 0; samples.defined() && k < samples.size(0); ++k) {
    chart.AddLine("samples", x, sorted(samples[k]), LineMarkers::kNone);
  }
  chart.AddLine("mean", x, sorted(MixtureMean(prediction)[0]), LineMarkers::kNone);
  chart.AddPoints("context", ColumnValues(context_x, 0), ColumnValues(context_y, 0));
  return chart;
}

Chart MapChart(const std::string& title, const PlotNames& names, const torch::Tensor& x, const torch::Tensor& values,
               const torch::Tensor& marked) {
  const std::vector<double> x0 = ColumnValues(x, 0), x1 = ColumnValues(x, 1), y = ColumnValues(values, 0);
  const CellAxis columns(x0), rows(x1);
  HeatMap heat{.x_low = columns.low,
               .x_high = columns.high,
               .y_low = rows.low,
               .y_high = rows.high,
               .columns = columns.cells,
               .rows = rows.cells};
  heat.values.assign(columns.cells * rows.cells, 0.0);
  std::vector<double> counts(heat.values.size(), 0.0);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t cell = rows.CellIndex(x1[i]) * columns.cells + columns.CellIndex(x0[i]);
    heat.values[cell] += y[i];
    counts[cell] += 1;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    heat.values[i] = counts[i] > 0 ? heat.values[i] / counts[i] : std::numeric_limits<double>::quiet_NaN();
  }
  Chart chart(title, {.title = names.inputs[0], .low = columns.low, .high = columns.high},
              {.title = names.inputs[1], .low = rows.low, .high = rows.high});
  chart.AddHeatMap(std::move(heat));
  if (marked.defined() && marked.size(0) > 0)
    chart.AddPoints("context", ColumnValues(marked, 0), ColumnValues(marked, 1));
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
