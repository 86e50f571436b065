// The interface of all optimizers. The learning rate is an argument of each step (see schedule.h), so that the state of
// an optimizer is only what it accumulates, which can be saved and restored exactly.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "nn/named_tensors.h"

namespace haplospin {

struct NamedParameter {
  std::string name;
  torch::Tensor tensor;
};

// The parameters of a module that require a gradient.
std::vector<NamedParameter> TrainableParameters(const torch::nn::Module& module);

class Optimizer {
 public:
  explicit Optimizer(std::vector<NamedParameter> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // One update from the current gradients. Parameters without a gradient are unchanged.
  virtual void Step(double learning_rate) = 0;

  // The state of the optimizer. The tensors are not copies: writing to them restores a state.
  virtual NamedTensors State() = 0;

  void ZeroGrad();
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 private:
  std::vector<NamedParameter> parameters_;
};

}  // namespace haplospin
