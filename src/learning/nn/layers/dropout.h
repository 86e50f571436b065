// Dropout whose random numbers cost little on the CPU.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

namespace haplospin {

// A tensor like `like` that is 0 with probability p, else 1 / (1 - p); 0 < p < 1. On the CPU LibTorch's generator is
// asked for one number, which is then spread by hashing: LibTorch itself draws a number for each entry, one after the
// other, which took half of the time of training small networks.
torch::Tensor DropoutFactors(const torch::Tensor& like, double p);

// Sets entries in training to 0 with probability p and scales the others by 1 / (1 - p).
class DropoutImpl : public torch::nn::Module {
 public:
  explicit DropoutImpl(double p);

  torch::Tensor forward(const torch::Tensor& x) const;

 private:
  double p_;
};
TORCH_MODULE(Dropout);

}  // namespace haplospin
