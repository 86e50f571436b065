#include "learning/models/neural_process/neural_process.h"

#include <cmath>
#include <numbers>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kMinVariance = 1e-8;  // softplus underflows to 0

torch::Tensor VarianceToSd(const torch::Tensor& v) { return (torch::softplus(v) + kMinVariance).sqrt(); }

}  // namespace

ProcessTasks ProcessTasks::Range(int64_t first, int64_t count) const {
  return {context_x.narrow(0, first, count), context_y.narrow(0, first, count), target_x.narrow(0, first, count),
          target_y.narrow(0, first, count)};
}

Prediction Join(const std::vector<Prediction>& parts, int64_t dimension) {
  std::vector<torch::Tensor> means, sds;
  for (const Prediction& part : parts) {
    means.push_back(part.mean);
    sds.push_back(part.sd);
  }
  return {torch::cat(means, dimension), torch::cat(sds, dimension)};
}

torch::Tensor LogLikelihood(const Prediction& prediction, const torch::Tensor& target_y) {
  const torch::Tensor z = (target_y.unsqueeze(0) - prediction.mean) / prediction.sd;
  const torch::Tensor log_density = -0.5 * z.square() - prediction.sd.log() - 0.5 * std::log(2 * std::numbers::pi);
  const auto components = static_cast<double>(prediction.mean.size(0));
  return log_density.sum(-1).logsumexp(0) - std::log(components);
}

torch::Tensor MixtureMean(const Prediction& prediction) { return prediction.mean.mean(0); }

torch::Tensor MixtureSd(const Prediction& prediction) {
  const torch::Tensor spread = (prediction.mean - prediction.mean.mean(0, /*keepdim=*/true)).square().mean(0);
  return (prediction.sd.square().mean(0) + spread).sqrt();
}

torch::Tensor MixtureCdf(const Prediction& prediction, const torch::Tensor& values) {
  const torch::Tensor z = (values.unsqueeze(0) - prediction.mean) / prediction.sd;
  return (0.5 * torch::erfc(-z / std::numbers::sqrt2)).mean(0);
}

torch::Tensor MixtureQuantile(const Prediction& prediction, double probability) {
  HS_ASSERT(probability > 0 && probability < 1);
  const double z =
      std::numbers::sqrt2 * torch::erfinv(torch::tensor(2 * probability - 1, torch::kFloat64)).item<double>();
  const torch::Tensor component_quantiles = prediction.mean + z * prediction.sd;
  if (prediction.mean.size(0) == 1) return component_quantiles.squeeze(0);
  // The mixture's quantile lies between those of its components.
  torch::Tensor low = component_quantiles.amin(0);
  torch::Tensor high = component_quantiles.amax(0);
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const torch::Tensor middle = 0.5 * (low + high);
    const torch::Tensor below = MixtureCdf(prediction, middle) < probability;
    low = torch::where(below, middle, low);
    high = torch::where(below, high, middle);
  }
  return 0.5 * (low + high);
}

torch::Tensor NeuralProcess::Loss(const ProcessTasks& tasks) {
  return -LogLikelihood(Predict(tasks.context_x, tasks.context_y, tasks.target_x), tasks.target_y).mean();
}

GaussianHeadImpl::GaussianHeadImpl(const ProcessOptions& options, int64_t input) : noise_model_(options.noise) {
  const bool homogeneous = options.noise == NoiseModel::kHomogeneous;
  const int64_t outputs = homogeneous ? options.dy : 2 * options.dy;
  mlp_ = register_module("mlp", Mlp(MlpOptions{.input = input, .hidden = options.width, .output = outputs}));
  if (homogeneous) noise_ = register_parameter("noise", torch::zeros({options.dy}));
}

Prediction GaussianHeadImpl::forward(const torch::Tensor& representation) {
  const torch::Tensor out = mlp_(representation);
  if (noise_model_ == NoiseModel::kHomogeneous) return {out, VarianceToSd(noise_).expand_as(out)};
  const auto parts = out.chunk(2, -1);
  const torch::Tensor sd =
      noise_model_ == NoiseModel::kVariance ? VarianceToSd(parts[1]) : 0.1 + 0.9 * torch::softplus(parts[1]);
  return {parts[0], sd};
}

}  // namespace haplospin
