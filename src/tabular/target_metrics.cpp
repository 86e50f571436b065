#include "tabular/target_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace haplospin {

TabularMetrics TargetMetrics(const EncodedColumn& column, const torch::Tensor& predictions, const torch::Tensor& truth,
                             const torch::Tensor& deviations) {
  if (!column.IsNumeric()) {
    return ClassMetrics(predictions.narrow(1, 0, std::ssize(column.categories)), truth.to(torch::kInt64));
  }
  const auto in_own_units = [&](const torch::Tensor& standardized) {
    return standardized.to(torch::kFloat64) * column.deviation + column.mean;
  };
  const torch::Tensor means = in_own_units(predictions.select(1, 0)), truths = in_own_units(truth);
  const torch::Tensor own = deviations.defined()
                                ? deviations.to(torch::kFloat64) * column.deviation
                                : (means - truths).square().mean().sqrt().clamp_min(1e-12).expand_as(means);
  return NumberMetrics(means, truths, own);
}

std::string MetricsComparison::Warning() const {
  const auto loss = [](const TabularMetrics& metrics) { return metrics.rmse ? *metrics.rmse : *metrics.nll; };
  std::vector<std::string> better;
  if (loss(linear) <= loss(model)) better.emplace_back("the linear fit");
  if (loss(neighbors) <= loss(model)) better.emplace_back("the nearest neighbors");
  if (loss(constant) <= loss(model)) better.emplace_back(model.rmse ? "the mean" : "the class frequencies");
  if (better.empty()) return "";
  return fmt::format("the model is no better than {} by {}", fmt::join(better, ", "),
                     model.rmse ? "RMSE" : "negative log-likelihood");
}

}  // namespace haplospin
