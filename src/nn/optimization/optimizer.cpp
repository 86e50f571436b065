#include "nn/optimization/optimizer.h"

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

}  // namespace haplospin
