#include "learning/tabular/tabular_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

struct Confusion {
  double recall = 0.0, f1 = 0.0;
};

// Means over the classes that some rows have.
Confusion MeanConfusion(const torch::Tensor& predicted, const torch::Tensor& classes, int64_t count) {
  Confusion sum;
  double present = 0.0;
  for (int64_t c = 0; c < count; ++c) {
    const auto number = [](const torch::Tensor& flags) { return flags.sum().item<double>(); };
    const double rows = number(classes == c), right = number((classes == c) & (predicted == c));
    if (rows == 0.0) continue;
    present += 1.0;
    sum.recall += right / rows;
    sum.f1 += 2.0 * right / (rows + number(predicted == c));
  }
  return {sum.recall / present, sum.f1 / present};
}

}  // namespace

RocCurve ComputeRoc(const torch::Tensor& scores, const torch::Tensor& positive) {
  const torch::Tensor order = scores.argsort(0, /*descending=*/true);
  const torch::Tensor s = scores.index_select(0, order).to(torch::kFloat64).contiguous();
  const torch::Tensor p = positive.index_select(0, order).to(torch::kFloat64).contiguous();
  const double positives = p.sum().item<double>(), negatives = static_cast<double>(p.size(0)) - positives;
  RocCurve curve{{0.0}, {0.0}};
  double above = 0.0, true_above = 0.0;
  for (int64_t i = 0; i < s.size(0); ++i) {
    above += 1.0;
    true_above += p.data_ptr<double>()[i];
    if (i + 1 < s.size(0) && s.data_ptr<double>()[i + 1] == s.data_ptr<double>()[i]) continue;
    curve.true_positive.push_back(true_above / positives);
    curve.false_positive.push_back((above - true_above) / negatives);
  }
  return curve;
}

ClassCalibration ComputeCalibration(const torch::Tensor& confidence, const torch::Tensor& is_right) {
  constexpr int64_t kBins = 10;
  const torch::Tensor p = confidence.to(torch::kFloat64), right = is_right.to(torch::kFloat64);
  const torch::Tensor bin = (p * static_cast<double>(kBins)).to(torch::kInt64).clamp(0, kBins - 1);
  ClassCalibration calibration;
  for (int64_t i = 0; i < kBins; ++i) {
    const torch::Tensor inside = bin == i;
    const double rows = inside.sum().item<double>();
    if (rows == 0.0) continue;
    calibration.confidence.push_back(p.masked_select(inside).mean().item<double>());
    calibration.right.push_back(right.masked_select(inside).mean().item<double>());
    calibration.share.push_back(rows / static_cast<double>(p.size(0)));
  }
  return calibration;
}

double ClassCalibration::Error() const {
  double error = 0.0;
  for (size_t i = 0; i < share.size(); ++i) error += share[i] * std::abs(confidence[i] - right[i]);
  return error;
}

std::optional<double> AreaUnderRoc(const torch::Tensor& scores, const torch::Tensor& positive) {
  if (positive.all().item<bool>() || !positive.any().item<bool>()) return std::nullopt;
  const RocCurve curve = ComputeRoc(scores, positive);
  double area = 0.0;
  for (size_t i = 1; i < curve.false_positive.size(); ++i) {
    area += (curve.false_positive[i] - curve.false_positive[i - 1]) *
            (curve.true_positive[i] + curve.true_positive[i - 1]) / 2;
  }
  return area;
}

TabularMetrics ClassMetrics(const torch::Tensor& probabilities, const torch::Tensor& classes) {
  HS_ASSERT(probabilities.size(0) == classes.size(0) && classes.size(0) > 0);
  const torch::Tensor right = probabilities.gather(1, classes.unsqueeze(1)).to(torch::kFloat64);
  TabularMetrics metrics{.rows = classes.size(0)};
  metrics.accuracy = (probabilities.argmax(1) == classes).to(torch::kFloat64).mean().item<double>();
  metrics.auroc = MeanAuroc(probabilities, classes);
  const auto [confidence, predicted] = probabilities.max(1);
  const Confusion confusion = MeanConfusion(predicted, classes, probabilities.size(1));
  metrics.recall = confusion.recall;
  metrics.f1 = confusion.f1;
  metrics.ece = ComputeCalibration(confidence, predicted == classes).Error();
  metrics.nll = -right.clamp_min(kMinProbability).log().mean().item<double>();
  return metrics;
}

TabularMetrics NumberMetrics(const torch::Tensor& means, const torch::Tensor& truth, const torch::Tensor& deviations) {
  HS_ASSERT(means.size(0) == truth.size(0) && truth.size(0) > 0 && (deviations > 0).all().item<bool>());
  const torch::Tensor squared = (means.to(torch::kFloat64) - truth.to(torch::kFloat64)).square();
  const torch::Tensor variances = deviations.to(torch::kFloat64).square();
  TabularMetrics metrics{.rows = truth.size(0)};
  metrics.rmse = std::sqrt(squared.mean().item<double>());
  metrics.nll = 0.5 * ((2.0 * std::numbers::pi * variances).log() + squared / variances).mean().item<double>();
  return metrics;
}

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
