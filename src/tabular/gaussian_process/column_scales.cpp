#include "tabular/gaussian_process/column_scales.h"

#include <ATen/ops/cholesky_inverse.h>
#include <ATen/ops/linalg_cholesky_ex.h>

#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int kSteps = 15;
constexpr double kStep = 0.3;                             // largest change of a logarithm in a step
constexpr double kMomentum = 0.8, kSquareMomentum = 0.9;  // Adam (Kingma and Ba, 2015)
constexpr double kPrior = 1.5;                            // inverse variance of the logarithm of a scale
constexpr double kStartNoise = 0.1, kMinNoise = 0.003, kMaxNoise = 2;

class MarginalLikelihood {
 public:
  MarginalLikelihood(const Tensor& distances, const Tensor& targets)
      : targets_(targets), distances_(distances.flatten(1)) {}

  // The gradient with respect to the logarithms of the scales and, last, of the noise; [d + 1]. The kernel's variance
  // is the most likely one.
  Tensor Gradient(const Tensor& scales, double noise) const {
    const int64_t n = targets_.size(0);
    const Tensor kernel = scales.matmul(distances_).neg().exp();
    const Tensor inverse = RegularizedInverse(kernel.view({n, n}), noise);
    const Tensor weights = inverse.matmul(targets_);
    const Tensor variance = (targets_ * weights).mean().clamp_min(1e-9);
    const auto outputs = static_cast<double>(targets_.size(1));
    const Tensor change = weights.matmul(weights.t()) / (variance * outputs) - inverse;
    const Tensor of_scales = -0.5 * scales * distances_.matmul(change.flatten() * kernel);
    return torch::cat({of_scales, 0.5 * noise * change.trace().view({1})});
  }

 private:
  Tensor targets_, distances_;  // [n, outputs], [d, n n]
};

}  // namespace

Tensor RegularizedInverse(const Tensor& kernel, double noise) {
  for (;; noise *= 4) {
    const auto [factor, info] =
        torch::linalg_cholesky_ex(kernel + noise * torch::eye(kernel.size(0), kernel.options()));
    if (info.item<int>() == 0) return torch::cholesky_inverse(factor);
    HS_ASSERT(noise < 1e6);  // larger: the kernel is not finite
  }
}

ColumnScales FitColumnScales(const Tensor& distances, const Tensor& targets, const Tensor& start) {
  const int64_t d = distances.size(0);
  const MarginalLikelihood likelihood(distances, targets);
  const Tensor first = torch::cat({start.log(), torch::full({1}, std::log(kStartNoise))});
  const Tensor held = torch::cat({torch::full({d}, kPrior), torch::zeros({1})});
  const Tensor low = torch::cat({start.log() - 5, torch::full({1}, std::log(kMinNoise))});
  const Tensor high = torch::cat({start.log() + 4, torch::full({1}, std::log(kMaxNoise))});
  Tensor at = first, mean = torch::zeros_like(first), square = torch::zeros_like(first);
  for (int step = 1; step <= kSteps; ++step) {
    const Tensor gradient =
        likelihood.Gradient(at.narrow(0, 0, d).exp(), std::exp(at[d].item<double>())) - held * (at - first);
    mean = kMomentum * mean + (1 - kMomentum) * gradient;
    square = kSquareMomentum * square + (1 - kSquareMomentum) * gradient.square();
    const Tensor direction =
        (mean / (1 - std::pow(kMomentum, step))) / ((square / (1 - std::pow(kSquareMomentum, step))).sqrt() + 1e-3);
    at = torch::minimum(torch::maximum(at + kStep * direction, low), high);
  }
  return {at.narrow(0, 0, d).exp(), std::exp(at[d].item<double>())};
}

}  // namespace haplospin
