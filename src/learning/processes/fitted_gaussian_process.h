// Gaussian processes as predictors: with known parameters, or fitted to each context.
#pragma once

#include <torch/types.h>

#include <memory>
#include <optional>
#include <utility>

#include "learning/models/neural_process/neural_process.h"
#include "learning/processes/gaussian_process.h"
#include "learning/processes/gp_posterior.h"
#include "learning/processes/process_arguments.h"

namespace haplospin {

// All tasks have these parameters.
class GaussianProcess : public ProcessPredictor {
 public:
  explicit GaussianProcess(GpParameters parameters) : parameters_(std::move(parameters)) {}
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }

 private:
  const GaussianPosterior& Posterior(const torch::Tensor& x, const torch::Tensor& y);

  GpParameters parameters_;
  torch::Tensor context_x_, context_y_;  // the last context, whose targets may come in several calls
  std::optional<GaussianPosterior> posterior_;
};

// Fits each task's context anew; with fewer than two points, predicts from a lengthscale and variance of 1 and noise
// 0.3.
class FittedGaussianProcess : public ProcessPredictor {
 public:
  explicit FittedGaussianProcess(GpKernel kernel = GpKernel::kSquaredExponential) : kernel_(kernel) {}
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  std::shared_ptr<ProcessPredictor> FitTo(const torch::Tensor& context_x, const torch::Tensor& context_y) override;
  bool IsTranslationEquivariant() const override { return true; }
  bool TargetsAreIndependent() const override { return false; }  // because every call fits again

 private:
  const GpKernel kernel_;
};

}  // namespace haplospin
