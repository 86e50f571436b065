#include "nn/optimization/adam.h"

#include <cmath>
#include <utility>

namespace haplospin {

AdamMoments::AdamMoments(const std::vector<NamedParameter>& parameters, const AdamOptions& options)
    : options_(options) {
  for (const auto& [name, tensor] : parameters) {
    Moments moments{torch::zeros_like(tensor), torch::zeros_like(tensor), torch::zeros({}, torch::kInt64)};
    state_.emplace("first_moment." + name, moments.first);
    state_.emplace("second_moment." + name, moments.second);
    state_.emplace("steps." + name, moments.steps);
    moments_.push_back(std::move(moments));
  }
}

torch::Tensor AdamMoments::Direction(size_t index, const torch::Tensor& gradient) {
  auto& [first, second, steps] = moments_[index];
  steps.add_(1);
  first.mul_(options_.beta1).add_(gradient, 1.0 - options_.beta1);
  second.mul_(options_.beta2).addcmul_(gradient, gradient, 1.0 - options_.beta2);
  if (!options_.bias_correction) return first / second.sqrt().add_(options_.epsilon);
  const auto step = static_cast<double>(steps.item<int64_t>());
  const double first_correction = 1.0 - std::pow(options_.beta1, step);
  const double second_correction = 1.0 - std::pow(options_.beta2, step);
  return first.div(first_correction).div_(second.sqrt().div_(std::sqrt(second_correction)).add_(options_.epsilon));
}

AdamW::AdamW(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters)), options_(options), moments_(this->parameters(), options) {}

void AdamW::Step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters().size(); ++i) {
    torch::Tensor weights = parameters()[i].tensor;
    if (!weights.grad().defined()) continue;
    const torch::Tensor direction = moments_.Direction(i, weights.grad());
    weights.mul_(1.0 - learning_rate * options_.weight_decay).sub_(direction, learning_rate);
  }
}

Lamb::Lamb(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters)), options_(options), moments_(this->parameters(), options) {}

void Lamb::Step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters().size(); ++i) {
    torch::Tensor weights = parameters()[i].tensor;
    if (!weights.grad().defined()) continue;
    const torch::Tensor direction = moments_.Direction(i, weights.grad()).add_(weights, options_.weight_decay);
    // Stays on the device: no synchronization for each parameter.
    const torch::Tensor weight_norm = weights.norm();
    const torch::Tensor direction_norm = direction.norm();
    const torch::Tensor trust_ratio = torch::where((weight_norm > 0) & (direction_norm > 0),
                                                   weight_norm / direction_norm, torch::ones_like(weight_norm));
    weights.sub_(direction.mul_(trust_ratio), learning_rate);
  }
}

}  // namespace haplospin
