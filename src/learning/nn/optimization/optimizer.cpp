#include "learning/nn/optimization/optimizer.h"

#include <torch/nn/utils/clip_grad.h>

#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {

std::vector<NamedParameter> TrainableParameters(const torch::nn::Module& module) {
  std::vector<NamedParameter> parameters;
  for (const auto& item : module.named_parameters()) {
    if (item.value().requires_grad()) parameters.push_back({item.key(), item.value()});
  }
  return parameters;
}

void Optimizer::ZeroGrad() {
  for (NamedParameter& parameter : parameters_) parameter.tensor.mutable_grad().reset();
}

MomentOptimizer::MomentOptimizer(std::vector<NamedParameter> parameters, const AdamOptions& options)
    : Optimizer(std::move(parameters)), options_(options) {
  for (const auto& [name, tensor] : this->parameters()) {
    Moments moments{torch::zeros_like(tensor), torch::zeros_like(tensor), torch::zeros({}, torch::kInt64)};
    state_.emplace("first_moment." + name, moments.first);
    state_.emplace("second_moment." + name, moments.second);
    state_.emplace("steps." + name, moments.steps);
    moments_.push_back(std::move(moments));
  }
}

torch::Tensor MomentOptimizer::Direction(Moments& moments, const torch::Tensor& gradient) const {
  moments.steps.add_(1);
  moments.first.mul_(options_.beta1).add_(gradient, 1.0 - options_.beta1);
  moments.second.mul_(options_.beta2).addcmul_(gradient, gradient, 1.0 - options_.beta2);
  const auto step = static_cast<double>(moments.steps.item<int64_t>());
  const double first_correction = 1.0 - std::pow(options_.beta1, step);
  const double second_correction = 1.0 - std::pow(options_.beta2, step);
  return moments.first.div(first_correction)
      .div_(moments.second.sqrt().div_(std::sqrt(second_correction)).add_(options_.epsilon));
}

void MomentOptimizer::Step(double learning_rate) {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < parameters().size(); ++i) {
    torch::Tensor weights = parameters()[i].tensor;
    if (weights.grad().defined()) Move(weights, Direction(moments_[i], weights.grad()), learning_rate);
  }
}

void AdamW::Move(torch::Tensor& weights, torch::Tensor direction, double learning_rate) const {
  weights.mul_(1.0 - learning_rate * options().weight_decay).sub_(direction, learning_rate);
}

void Lamb::Move(torch::Tensor& weights, torch::Tensor direction, double learning_rate) const {
  direction.add_(weights, options().weight_decay);
  // The norms stay on the device, so that a step waits for it only once.
  const torch::Tensor weight_norm = weights.norm();
  const torch::Tensor direction_norm = direction.norm();
  const torch::Tensor trust_ratio = torch::where((weight_norm > 0) & (direction_norm > 0), weight_norm / direction_norm,
                                                 torch::ones_like(weight_norm));
  weights.sub_(direction.mul_(trust_ratio), learning_rate);
}

Lookahead::Lookahead(std::unique_ptr<Optimizer> inner, const LookaheadOptions& options)
    : Optimizer(inner->parameters()),
      inner_(std::move(inner)),
      options_(options),
      steps_(torch::zeros({}, torch::kInt64)) {
  HS_ASSERT(options.period > 0 && options.slow_rate > 0.0 && options.slow_rate <= 1.0);
  for (const NamedParameter& parameter : parameters()) slow_.push_back(parameter.tensor.detach().clone());
}

void Lookahead::Step(double learning_rate) {
  inner_->Step(learning_rate);
  steps_.add_(1);
  if (steps_.item<int64_t>() % options_.period == 0) UpdateSlowWeights();
}

void Lookahead::UpdateSlowWeights() {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < slow_.size(); ++i) {
    torch::Tensor fast = parameters()[i].tensor;
    slow_[i].lerp_(fast, options_.slow_rate);
    if (options_.synchronize) fast.copy_(slow_[i]);
  }
}

NamedTensors Lookahead::State() {
  NamedTensors state{{"steps", steps_}};
  InsertWithPrefix(state, "inner.", inner_->State());
  for (size_t i = 0; i < slow_.size(); ++i) state.emplace("slow." + parameters()[i].name, slow_[i]);
  return state;
}

SlowWeights::SlowWeights(Optimizer& optimizer) : lookahead_(dynamic_cast<Lookahead*>(&optimizer)) {
  if (lookahead_ == nullptr) return;
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < lookahead_->slow_.size(); ++i) {
    torch::Tensor weights = lookahead_->parameters()[i].tensor;
    fast_.push_back(weights.detach().clone());
    weights.copy_(lookahead_->slow_[i]);
  }
}

SlowWeights::~SlowWeights() {
  const torch::NoGradGuard no_grad;
  for (size_t i = 0; i < fast_.size(); ++i) torch::Tensor(lookahead_->parameters()[i].tensor).copy_(fast_[i]);
}

std::unique_ptr<Optimizer> MakeOptimizer(const torch::nn::Module& network, const OptimizerChoice& choice,
                                         double weight_decay) {
  std::vector<NamedParameter> parameters = TrainableParameters(network);
  std::unique_ptr<Optimizer> inner;
  if (choice.kind == OptimizerKind::kAdamW) {
    inner = std::make_unique<AdamW>(std::move(parameters), AdamOptions{.weight_decay = weight_decay});
  } else {
    AdamOptions options = Lamb::DefaultOptions();
    options.weight_decay = weight_decay;
    inner = std::make_unique<Lamb>(std::move(parameters), options);
  }
  if (!choice.lookahead) return inner;
  return std::make_unique<Lookahead>(std::move(inner), *choice.lookahead);
}

void ClipGradients(const std::vector<NamedParameter>& parameters, const GradientClipping& clipping) {
  std::vector<torch::Tensor> tensors;
  for (const NamedParameter& parameter : parameters) tensors.push_back(parameter.tensor);
  switch (clipping.kind) {
    case ClippingKind::kNone:
      return;
    case ClippingKind::kValue:
      torch::nn::utils::clip_grad_value_(tensors, clipping.limit);
      return;
    case ClippingKind::kNorm:
      torch::nn::utils::clip_grad_norm_(tensors, clipping.limit);
      return;
  }
}

}  // namespace haplospin
