#include "tabular/tabular_metrics.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kMinProbability = 1e-12;

std::optional<double> MeanAuroc(const torch::Tensor& probabilities, const torch::Tensor& classes) {
  const int64_t count = probabilities.size(1);
  if (count == 2) return AreaUnderRoc(probabilities.select(1, 1), classes == 1);
  double sum = 0.0;
  int used = 0;
  for (int64_t c = 0; c < count; ++c) {
    const std::optional<double> area = AreaUnderRoc(probabilities.select(1, c), classes == c);
    if (!area) continue;
    sum += *area;
    ++used;
  }
  return used > 0 ? std::optional(sum / used) : std::nullopt;
}

}  // namespace

std::optional<double> AreaUnderRoc(const torch::Tensor& scores, const torch::Tensor& positive) {
  const torch::Tensor s = scores.to(torch::kFloat64).contiguous();
  const torch::Tensor p = positive.to(torch::kFloat64).contiguous();
  std::vector<std::pair<double, double>> sorted;
  for (int64_t i = 0; i < s.size(0); ++i) sorted.emplace_back(s.data_ptr<double>()[i], p.data_ptr<double>()[i]);
  std::ranges::sort(sorted);
  double positives = 0.0, negatives = 0.0, above = 0.0;
  for (size_t i = 0; i < sorted.size();) {
    double tied_positives = 0.0, tied = 0.0;
    const double score = sorted[i].first;
    for (; i < sorted.size() && sorted[i].first == score; ++i) {
      tied_positives += sorted[i].second;
      tied += 1.0;
    }
    above += tied_positives * (negatives + 0.5 * (tied - tied_positives));
    positives += tied_positives;
    negatives += tied - tied_positives;
  }
  if (positives == 0.0 || negatives == 0.0) return std::nullopt;
  return above / (positives * negatives);
}

TabularMetrics ClassMetrics(const torch::Tensor& probabilities, const torch::Tensor& classes) {
  HS_ASSERT(probabilities.size(0) == classes.size(0) && classes.size(0) > 0);
  const torch::Tensor right = probabilities.gather(1, classes.unsqueeze(1)).to(torch::kFloat64);
  TabularMetrics metrics{.rows = classes.size(0)};
  metrics.accuracy = (probabilities.argmax(1) == classes).to(torch::kFloat64).mean().item<double>();
  metrics.auroc = MeanAuroc(probabilities, classes);
  metrics.nll = -right.clamp_min(kMinProbability).log().mean().item<double>();
  return metrics;
}

TabularMetrics NumberMetrics(const torch::Tensor& means, const torch::Tensor& truth, double deviation) {
  HS_ASSERT(means.size(0) == truth.size(0) && truth.size(0) > 0 && deviation > 0.0);
  const double squared = (means.to(torch::kFloat64) - truth.to(torch::kFloat64)).square().mean().item<double>();
  TabularMetrics metrics{.rows = truth.size(0)};
  metrics.rmse = std::sqrt(squared);
  metrics.nll =
      0.5 * std::log(2.0 * std::numbers::pi * deviation * deviation) + 0.5 * squared / (deviation * deviation);
  return metrics;
}

MeanAndError Summarize(const std::vector<double>& values) {
  HS_ASSERT(!values.empty());
  const auto n = static_cast<double>(values.size());
  double sum = 0.0, squares = 0.0;
  for (const double value : values) sum += value;
  const double mean = sum / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, values.size() > 1 ? std::sqrt(squares / (n - 1.0) / n) : 0.0};
}

}  // namespace haplospin
