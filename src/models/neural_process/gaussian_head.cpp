#include "models/neural_process/gaussian_head.h"

namespace haplospin {
namespace {

constexpr double kMinVariance = 1e-8;  // softplus underflows to 0

torch::Tensor SdOfVariance(const torch::Tensor& v) { return (torch::softplus(v) + kMinVariance).sqrt(); }

}  // namespace

GaussianHeadImpl::GaussianHeadImpl(const GaussianHeadOptions& options) : options_(options) {
  const bool homogeneous = options.noise == NoiseModel::kHomogeneous;
  const int64_t outputs = homogeneous ? options.outputs : 2 * options.outputs;
  mlp_ = register_module("mlp", Mlp(MlpOptions{.input = options.input, .hidden = options.hidden, .output = outputs}));
  if (homogeneous) noise_ = register_parameter("noise", torch::zeros({options.outputs}));
}

Prediction GaussianHeadImpl::forward(const torch::Tensor& representation) {
  const torch::Tensor out = mlp_(representation);
  if (options_.noise == NoiseModel::kHomogeneous) return {out, SdOfVariance(noise_).expand_as(out)};
  const auto parts = out.chunk(2, -1);
  const torch::Tensor sd =
      options_.noise == NoiseModel::kVariance ? SdOfVariance(parts[1]) : 0.1 + 0.9 * torch::softplus(parts[1]);
  return {parts[0], sd};
}

}  // namespace haplospin
