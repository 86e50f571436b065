#include "learning/tabular/label_distribution.h"

#include <ATen/ops/one_hot.h>

#include <array>
#include <cmath>
#include <limits>

#include "learning/tabular/error_quantiles.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr std::array kDegrees = {2, 4, 6, 10, 30};  // degrees of freedom of the t distribution of numbers
constexpr int kBisections = 50;
constexpr int kScaleSteps = 20;
constexpr double kMinVariance = 1e-12;
constexpr double kSmoothErrors = 200;  // errors of which the t distribution tells as much as they themselves

Tensor ClassProbabilities(const Tensor& means, double floor, double sharpness) {
  const Tensor raised = means.clamp_min(floor).pow(sharpness);
  return raised / raised.sum(1, true);
}

// The most likely scale of a t distribution, by expectation maximization (Lange, Little and Taylor, 1989).
double FitStudentScale(const Tensor& squared_errors, int degrees) {
  double variance = squared_errors.mean().item<double>();
  for (int step = 0; step < kScaleSteps; ++step) {
    const Tensor weights = (degrees + 1) / (degrees + squared_errors / std::max(variance, kMinVariance));
    variance = (weights * squared_errors).mean().item<double>();
  }
  return std::sqrt(std::max(variance, kMinVariance));
}

// The sum over the errors, but for a constant.
double LogLikelihood(const Tensor& squared_errors, int degrees, double scale) {
  const double half = 0.5 * (degrees + 1);
  const double zero_density =
      std::lgamma(half) - std::lgamma(0.5 * degrees) - 0.5 * std::log(static_cast<double>(degrees)) - std::log(scale);
  return zero_density * static_cast<double>(squared_errors.numel()) -
         half * (squared_errors / (degrees * scale * scale)).log1p().sum().item<double>();
}

// A quantile of the t distribution with an even number of degrees of freedom, whose distribution function is a
// polynomial in the sine of an angle (Abramowitz and Stegun, 1964, eq. 26.7.4).
double StandardQuantile(double probability, int degrees) {
  const auto twice_beyond_half = [degrees](double sine) {
    double sum = 0, term = 1;
    for (int k = 0; k < degrees / 2; ++k) {
      sum += term;
      term *= (1 - sine * sine) * (2 * k + 1) / (2 * k + 2);
    }
    return sine * sum;
  };
  double low = -1, high = 1;
  for (int step = 0; step < kBisections; ++step) {
    const double middle = 0.5 * (low + high);
    (twice_beyond_half(middle) < 2 * probability - 1 ? low : high) = middle;
  }
  return low * std::sqrt(degrees / (1 - low * low));
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
    double most = -std::numeric_limits<double>::infinity();
    for (const int degrees : kDegrees) {
      const double scale = FitStudentScale(squared_errors, degrees);
      // A weak prior near four degrees of freedom, which a few errors do not tell well.
      const double likelihood = LogLikelihood(squared_errors, degrees, scale) - std::pow(std::log(degrees / 4.0), 2);
      if (likelihood <= most) continue;
      most = likelihood;
      degrees_ = degrees;
      scale_ = scale;
    }
    // The regressions that predict best were chosen by the same errors, which are too small for new rows.
    const double optimism = 1 + 1 / std::sqrt(static_cast<double>(squared_errors.numel()));
    scale_ *= optimism;
    const Tensor errors = std::get<0>(((targets - means) * optimism).flatten().sort()).contiguous();
    errors_ = {errors.data_ptr<float>(), errors.data_ptr<float>() + errors.numel()};
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

double LabelDistribution::Quantile(double probability) const {
  const double smooth = scale_ * StandardQuantile(probability, degrees_);
  if (errors_.size() < 2) return smooth;
  const auto n = static_cast<double>(errors_.size());
  const double share = n / (n + kSmoothErrors);
  return share * ErrorQuantile(errors_, probability) + (1 - share) * smooth;
}

}  // namespace haplospin
