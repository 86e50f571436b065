// The last layers of all neural processes: from a representation of a target to a Gaussian.
#pragma once

#include "models/neural_process/neural_process.h"
#include "nn/layers/mlp.h"

namespace haplospin {

class GaussianHeadImpl : public torch::nn::Module {
 public:
  // An MLP with two hidden layers, from representations of the width `input`.
  GaussianHeadImpl(const ProcessOptions& options, int64_t input);

  // [s, b, n, input] -> s components.
  Prediction forward(const torch::Tensor& representation);

 private:
  NoiseModel noise_model_;
  Mlp mlp_{nullptr};
  torch::Tensor noise_;  // [dy]; undefined: not kHomogeneous
};
TORCH_MODULE(GaussianHead);

}  // namespace haplospin
