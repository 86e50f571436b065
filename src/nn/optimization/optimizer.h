// The interface of every optimiser here. The learning rate comes with each step (see schedule.h), so an optimiser's
// state is only what it accumulates, and that can be saved and restored exactly.
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

  // One update from the gradients at hand. Parameters without a gradient stay as they are.
  virtual void Step(double learning_rate) = 0;

  // What the optimiser has accumulated. The tensors are its own: copying into them restores it.
  virtual NamedTensors State() = 0;

  void ZeroGrad();
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

 private:
  std::vector<NamedParameter> parameters_;
};

}  // namespace haplospin
