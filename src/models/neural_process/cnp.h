// Conditional neural processes that average over the context: CNP (Garnelo et al., 2018) and the simple RCNP (Huang et
// al., 2023), as in Ashman et al. (2024), appendix F.1.
#pragma once

#include "models/neural_process/gaussian_head.h"
#include "nn/layers/mlp.h"

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

}  // namespace haplospin
