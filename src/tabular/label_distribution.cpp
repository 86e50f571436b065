#include "tabular/label_distribution.h"

#include <ATen/ops/one_hot.h>

#include <algorithm>
#include <limits>

#include "tabular/number_bins.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr double kMinDeviation = 0.05;  // about a bin's width
constexpr double kDegrees = 4;          // degrees of freedom of the t distribution of numbers

Tensor ClassProbabilities(const Tensor& means, double floor, double sharpness) {
  const Tensor raised = means.clamp_min(floor).pow(sharpness);
  return raised / raised.sum(1, true);
}

}  // namespace

Tensor LabelTargets(const Tensor& labels, int64_t classes) {
  if (classes == 0) return labels.to(torch::kFloat32).unsqueeze(1);
  return torch::one_hot(labels.to(torch::kInt64), classes).to(torch::kFloat32);
}

LabelDistribution::LabelDistribution(const Tensor& means, const Tensor& targets, int64_t classes) : classes_(classes) {
  if (classes == 0) {
    deviation_ = std::max(kMinDeviation, (means - targets).square().mean().sqrt().item<double>());
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
  if (classes_ > 0) return ClassProbabilities(means, floor_, sharpness_);
  const Tensor far = ((BinCenters() - means) / deviation_).square();
  return (BinWidths().log() - (kDegrees + 1) / 2 * (1 + far / kDegrees).log()).softmax(1);
}

}  // namespace haplospin
