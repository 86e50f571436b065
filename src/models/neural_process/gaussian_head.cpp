#include "models/neural_process/gaussian_head.h"

namespace haplospin {
namespace {

constexpr double kMinVariance = 1e-8;  // softplus underflows to 0

torch::Tensor SdOfVariance(const torch::Tensor& v) { return (torch::softplus(v) + kMinVariance).sqrt(); }

}  // namespace

GaussianHeadImpl::GaussianHeadImpl(const ProcessOptions& options, int64_t input) : noise_model_(options.noise) {
  const bool homogeneous = options.noise == NoiseModel::kHomogeneous;
  const int64_t outputs = homogeneous ? options.dy : 2 * options.dy;
  mlp_ = register_module("mlp", Mlp(MlpOptions{.input = input, .hidden = options.width, .output = outputs}));
  if (homogeneous) noise_ = register_parameter("noise", torch::zeros({options.dy}));
}

Prediction GaussianHeadImpl::forward(const torch::Tensor& representation) {
  const torch::Tensor out = mlp_(representation);
  if (noise_model_ == NoiseModel::kHomogeneous) return {out, SdOfVariance(noise_).expand_as(out)};
  const auto parts = out.chunk(2, -1);
  const torch::Tensor sd =
      noise_model_ == NoiseModel::kVariance ? SdOfVariance(parts[1]) : 0.1 + 0.9 * torch::softplus(parts[1]);
  return {parts[0], sd};
}

}  // namespace haplospin
