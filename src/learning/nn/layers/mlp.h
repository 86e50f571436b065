// A multi-layer perceptron with ReLU.
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

namespace haplospin {

struct MlpOptions {
  int64_t input = 0;
  int64_t hidden = 0;
  int64_t output = 0;
  int64_t hidden_layers = 2;
};

class MlpImpl : public torch::nn::Module {
 public:
  explicit MlpImpl(const MlpOptions& options);

  // [.., input] -> [.., output].
  torch::Tensor forward(torch::Tensor x);

  // Weight and bias of each layer in turn.
  std::vector<torch::Tensor> Layers() const;

 private:
  torch::nn::ModuleList layers_;
};
TORCH_MODULE(Mlp);

}  // namespace haplospin
