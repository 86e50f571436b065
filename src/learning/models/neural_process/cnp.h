// Neural processes that average over the context or convolve it: CNP (Garnelo et al., 2018), the simple RCNP (Huang et
// al., 2023), both as in Ashman et al. (2024), appendix F.1, and ConvCNP (Gordon et al., 2020).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/pimpl.h>

#include "learning/models/neural_process/neural_process.h"
#include "learning/nn/layers/mlp.h"

namespace haplospin {

// e(D) = mean of phi(x_c, y_c) (eq. 39); decoder on [x, e]. phi has five hidden layers.
class Cnp : public NeuralProcess {
 public:
  explicit Cnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;

 private:
  Mlp encoder_{nullptr};
  GaussianHead head_{nullptr};
};

// e(x, D) = mean of phi(x - x_c, y_c) (eq. 38); decoder on e: translation equivariant. Holds n m activations of phi.
class Rcnp : public NeuralProcess {
 public:
  explicit Rcnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }

 private:
  Mlp encoder_{nullptr};
  GaussianHead head_{nullptr};
};

// The mean along a dimension; 0 where it has no entries.
torch::Tensor MeanOrZero(const torch::Tensor& values, int64_t dimension);

// A 1-D U-Net (Ronneberger et al., 2015): `levels` times convolution and pooling by two, a convolution, `levels` times
// linear up-sampling and convolution of it beside what the way down had at this length.
class UNet1dImpl : public torch::nn::Module {
 public:
  UNet1dImpl(int64_t channels, int64_t levels, int64_t kernel_size);

  // [b, channels, g] -> [b, channels, g]; g is a multiple of 2^levels.
  torch::Tensor forward(torch::Tensor x);

 private:
  torch::nn::ModuleList down_, up_;
};
TORCH_MODULE(UNet1d);

// ConvCNP with one input. The grid of a task starts at a multiple of its spacing a margin before the first point and
// ends a margin behind the last, so translations by multiples of the spacing leave predictions as they are. The grid's
// length depends on all points, and a CNN detects the edge of its grid: targets are independent only as long as the
// grid is the same.
class ConvCnp : public NeuralProcess {
 public:
  explicit ConvCnp(const ProcessOptions& options);

  // Throws InputError if the points span more than 16 million grid points.
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }
  bool TargetsAreIndependent() const override { return false; }

 private:
  ProcessOptions options_;
  torch::Tensor log_context_scale_, log_target_scale_;  // Gaussian weights between points and grid
  torch::nn::Conv1d lift_{nullptr};
  UNet1d net_{nullptr};
  GaussianHead head_{nullptr};
};

}  // namespace haplospin
