// The last layers of all neural processes: from a representation of a target to a Gaussian.
#pragma once

#include "models/neural_process/neural_process.h"
#include "nn/layers/mlp.h"

namespace haplospin {

enum class NoiseModel {
  kVariance,     // variance = softplus(v) of each target (Ashman et al., 2024, appendix F.1)
  kBoundedSd,    // sd = 0.1 + 0.9 softplus(v) of each target (the ANP family's implementations)
  kHomogeneous,  // variance = softplus(v), v one learned number for each output (appendix F.2)
};

struct GaussianHeadOptions {
  int64_t input = 0;
  int64_t hidden = 128;
  int64_t outputs = 1;  // dy
  NoiseModel noise = NoiseModel::kVariance;
};

class GaussianHeadImpl : public torch::nn::Module {
 public:
  explicit GaussianHeadImpl(const GaussianHeadOptions& options);

  // [s, b, n, input] -> s components. The MLP has two hidden layers.
  Prediction forward(const torch::Tensor& representation);

 private:
  GaussianHeadOptions options_;
  Mlp mlp_{nullptr};
  torch::Tensor noise_;  // [dy], kHomogeneous only
};
TORCH_MODULE(GaussianHead);

}  // namespace haplospin
