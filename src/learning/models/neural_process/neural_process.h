// The interface and the last layers of neural processes: from a context of points to a distribution at target
// locations.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "learning/models/neural_process/process_options.h"
#include "learning/nn/layers/mlp.h"

namespace haplospin {

// b tasks of equal sizes; m, the number of context points, may be 0.
struct ProcessTasks {
  torch::Tensor context_x;  // [b, m, dx]
  torch::Tensor context_y;  // [b, m, dy]
  torch::Tensor target_x;   // [b, n, dx]
  torch::Tensor target_y;   // [b, n, dy]; undefined if unknown

  // Returns the tasks from `first` to `first + count`; target_y must be known.
  ProcessTasks Range(int64_t first, int64_t count) const;
};

// A mixture for each target and output, of s Gaussians of equal weight; s = 1 unless the model has a latent variable or
// bootstraps its context.
struct Prediction {
  torch::Tensor mean;  // [s, b, n, dy]
  torch::Tensor sd;    // [s, b, n, dy]
};

// Predictions of several tasks (dimension 1), or of several targets of a task (dimension 2), one after the other.
Prediction Join(const std::vector<Prediction>& parts, int64_t dimension);

// Log density of each target, [b, n]: the outputs of a target are independent in each component of the mixture.
torch::Tensor LogLikelihood(const Prediction& prediction, const torch::Tensor& target_y);

// Mean and standard deviation of the mixtures, [b, n, dy].
torch::Tensor MixtureMean(const Prediction& prediction);
torch::Tensor MixtureSd(const Prediction& prediction);

// P(y <= value) under the mixtures, [b, n, dy]; values [b, n, dy].
torch::Tensor MixtureCdf(const Prediction& prediction, const torch::Tensor& values);

// The value below which the mixtures have `probability`, [b, n, dy]; to 1e-6 of the mixture's spread.
torch::Tensor MixtureQuantile(const Prediction& prediction, double probability);

// The interface of predictors: neural processes, and Gaussian processes fitted to the context.
class ProcessPredictor {
 public:
  virtual ~ProcessPredictor() = default;

  // The arguments are as in ProcessTasks.
  virtual Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                             const torch::Tensor& target_x) = 0;

  // Returns the predictor with what it fits to one context, x [m, dx] and y [m, dy], for several calls with these
  // points and more; null if it fits nothing.
  virtual std::shared_ptr<ProcessPredictor> FitTo(const torch::Tensor& /*context_x*/,
                                                  const torch::Tensor& /*context_y*/) {
    return nullptr;
  }

  // Returns whether predictions are unchanged when context and targets are translated together.
  virtual bool IsTranslationEquivariant() const { return false; }

  // Returns whether predicting the targets in parts gives the same result.
  virtual bool TargetsAreIndependent() const { return true; }
};

// The order of the context points does not matter. In evaluation mode, targets do not attend to each other.
class NeuralProcess : public torch::nn::Module, public ProcessPredictor {
 public:
  // The loss: the mean over tasks and targets of -log p(y), or an upper bound of it.
  virtual torch::Tensor Loss(const ProcessTasks& tasks);
};

// A model with random initial weights (LibTorch's generator).
std::shared_ptr<NeuralProcess> MakeNeuralProcess(const ProcessOptions& options);

// The last layers of all neural processes: from a representation of a target to a Gaussian.
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
