#include "tabular/label_distribution.h"

#include <ATen/ops/one_hot.h>

#include <cmath>
#include <limits>

namespace haplospin {
namespace {

using torch::Tensor;

constexpr double kDegrees = 4;  // degrees of freedom of the t distribution of numbers
constexpr int kScaleSteps = 20;
constexpr double kMinVariance = 1e-12;

Tensor ClassProbabilities(const Tensor& means, double floor, double sharpness) {
  const Tensor raised = means.clamp_min(floor).pow(sharpness);
  return raised / raised.sum(1, true);
}

// The most likely scale of a t distribution, by expectation maximization (Lange, Little and Taylor, 1989).
double ScaleOf(const Tensor& squared_errors) {
  double variance = squared_errors.mean().item<double>();
  for (int step = 0; step < kScaleSteps; ++step) {
    const Tensor weights = (kDegrees + 1) / (kDegrees + squared_errors / std::max(variance, kMinVariance));
    variance = (weights * squared_errors).mean().item<double>();
  }
  return std::sqrt(variance);
}

// A quantile of the t distribution with four degrees of freedom (Shaw, 2006).
double StandardQuantile(double probability) {
  const double root = std::sqrt(4 * probability * (1 - probability));
  return std::copysign(2 * std::sqrt(std::cos(std::acos(root) / 3) / root - 1), probability - 0.5);
}

}  // namespace

Tensor LabelTargets(const Tensor& labels, int64_t classes) {
  if (classes == 0) return labels.to(torch::kFloat32).unsqueeze(1);
  return torch::one_hot(labels.to(torch::kInt64), classes).to(torch::kFloat32);
}

LabelDistribution::LabelDistribution(const Tensor& means, const Tensor& targets, int64_t classes) {
  if (classes == 0) {
    const Tensor squared_errors = (means - targets).square();
    deviation_ = std::sqrt(squared_errors.mean().item<double>());
    scale_ = ScaleOf(squared_errors);
    return;
  }
  double best = std::numeric_limits<double>::infinity();
  for (const double sharpness : {0.6, 0.8, 1.0, 1.25, 1.6, 2.0, 2.5}) {
    for (const double floor : {0.002, 0.005, 0.01, 0.03}) {
      const Tensor right = (ClassProbabilities(means, floor, sharpness) * targets).sum(1);
      const double loss = -right.log().mean().item<double>();
      if (loss >= best) continue;
      best = loss;
      floor_ = floor;
      sharpness_ = sharpness;
    }
  }
}

Tensor LabelDistribution::Probabilities(const Tensor& means) const {
  return ClassProbabilities(means, floor_, sharpness_);
}

double LabelDistribution::Quantile(double probability) const { return scale_ * StandardQuantile(probability); }

}  // namespace haplospin
