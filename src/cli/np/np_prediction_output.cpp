#include "cli/np/np_prediction_output.h"

#include <fmt/format.h>

#include "cli/np/np_plots.h"
#include "tables/csv_writer.h"
#include "tables/values.h"

namespace haplospin {
namespace {

std::vector<double> ColumnValues(const torch::Tensor& values, int64_t column) {
  return ToVector(values.select(1, column));
}

}  // namespace

std::string PredictionHeader(const PointColumns& columns, const std::vector<std::string>& quantiles, int64_t samples) {
  std::vector<std::string> names;
  if (!columns.group.empty()) names.push_back(columns.group);
  names.insert(names.end(), columns.x.begin(), columns.x.end());
  for (const std::string& name : columns.y) {
    names.push_back(name + "_mean");
    names.push_back(name + "_sd");
    for (const std::string& q : quantiles) names.push_back(fmt::format("{}_q{}", name, q));
    for (int64_t k = 1; k <= samples; ++k) names.push_back(fmt::format("{}_sample{}", name, k));
  }
  return CsvLine(names);
}

std::string PredictionLine(const PointColumns& columns, const std::vector<bool>& dates, const std::string& group,
                           const GroupPrediction& p, int64_t target) {
  std::vector<std::string> fields;
  if (!columns.group.empty()) fields.push_back(group);
  const auto x = p.target_x.accessor<double, 2>();
  for (int64_t c = 0; c < p.target_x.size(1); ++c) {
    const double value = x[target][c];
    fields.push_back(dates[static_cast<size_t>(c)] ? DateText(value) : fmt::format("{:.15g}", value));
  }
  const auto add = [&](double value) { fields.push_back(fmt::format("{:.10g}", value)); };
  for (int64_t d = 0; d < p.mean.size(1); ++d) {
    add(p.mean.accessor<double, 2>()[target][d]);
    add(p.sd.accessor<double, 2>()[target][d]);
    for (const torch::Tensor& q : p.quantiles) add(q.accessor<double, 2>()[target][d]);
    for (int64_t k = 0; p.samples.defined() && k < p.samples.size(0); ++k) {
      add(p.samples.accessor<double, 3>()[k][target][d]);
    }
  }
  return CsvLine(fields);
}

std::string PredictionPlot(const GroupPrediction& p, const PointColumns& columns, const std::vector<bool>& dates) {
  if (p.target_x.size(1) == 1) {
    std::vector<std::vector<double>> samples;
    for (int64_t k = 0; p.samples.defined() && k < p.samples.size(0); ++k)
      samples.push_back(ColumnValues(p.samples[k], 0));
    return ChartsDocument({CurveChart(columns.y[0], {.x_name = columns.x[0] + (dates[0] ? ", days since 1970" : ""),
                                                     .y_name = columns.y[0],
                                                     .x = ColumnValues(p.target_x, 0),
                                                     .mean = ColumnValues(p.mean, 0),
                                                     .low = ColumnValues(p.low, 0),
                                                     .high = ColumnValues(p.high, 0),
                                                     .samples = samples,
                                                     .context_x = ColumnValues(p.context.x, 0),
                                                     .context_y = ColumnValues(p.context.y, 0)})});
  }
  const auto map = [&](const torch::Tensor& values) {
    return PredictedMap{.x_name = columns.x[0],
                        .y_name = columns.x[1],
                        .x = ColumnValues(p.target_x, 0),
                        .y = ColumnValues(p.target_x, 1),
                        .values = ColumnValues(values, 0),
                        .context_x = ColumnValues(p.context.x, 0),
                        .context_y = ColumnValues(p.context.x, 1)};
  };
  return ChartsDocument(
      {MapChart(columns.y[0] + ": mean", map(p.mean)), MapChart(columns.y[0] + ": standard deviation", map(p.sd))});
}

}  // namespace haplospin
