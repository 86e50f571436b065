#include "nn/optimization/lookahead.h"

#include <utility>

#include "haplospin/errors.h"

namespace haplospin {

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

}  // namespace haplospin
