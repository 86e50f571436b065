// Exact Gaussian processes: the source of tasks, the oracle with their true kernels, and a fitted baseline.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "learning/models/neural_process/neural_process.h"
#include "learning/processes/process_arguments.h"

namespace haplospin {

// "se", "periodic", "matern52" or "linear". Throws InputError for any other name.
GpKernel ParseGpKernel(const std::string& name);

struct GpParameters {
  GpKernel kernel = GpKernel::kSquaredExponential;
  // A lengthscale for each input, or one for all; the period of the periodic kernel (Ashman et al., 2024, eq. 36).
  std::vector<double> lengthscale = {1.0};
  double smoothness = 1.0;  // the periodic kernel's lengthscale within a period
  double variance = 1.0;
  double noise = 0.1;  // sd of the observations about the function
  // Covariance of the outputs (eq. 41), dy x dy, row-major; empty: independent outputs.
  std::vector<double> outputs;
};

// Covariance of the function between x1 [.., n, dx] and x2 [.., m, dx], without noise: [.., n, m], in the type of x1.
//   se: exp(-r^2 / 2), r^2 = sum of (d / lengthscale)^2
//   periodic: exp(-2 sum of sin^2(pi d / lengthscale) / smoothness^2)
//   matern52: (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r). (The paper prints d / lengthscale^2.)
//   linear: 1 + (x1 / lengthscale) . (x2 / lengthscale), lines with random intercept and slopes
torch::Tensor GpCovariance(const GpParameters& parameters, const torch::Tensor& x1, const torch::Tensor& x2);

// The same for several functions, each at its own points x [b, n, dx]: [b, n, n]. All have as many lengthscales.
torch::Tensor GpCovariances(std::span<const GpParameters> parameters, const torch::Tensor& x);

// Distribution of noisy observations at target_x [n, dx] given context_x [m, dx] and context_y [m, dy]; in double. An
// empty context gives the prior. mean and sd are [1, 1, n, dy]. Throws InputError for more than 20,000 observations.
Prediction GpPosterior(const GpParameters& parameters, const torch::Tensor& context_x, const torch::Tensor& context_y,
                       const torch::Tensor& target_x);

// Parameters that maximize the marginal likelihood of one context, of at most some 500 observations of it, times weak
// priors: a lengthscale for each input, variance, noise, and with several outputs their covariance. The best of fits
// from three lengthscales.
GpParameters FitGaussianProcess(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                const GpFitOptions& options);

// The same parameters for all tasks.
class GaussianProcess : public ProcessPredictor {
 public:
  explicit GaussianProcess(GpParameters parameters) : parameters_(std::move(parameters)) {}
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }

 private:
  GpParameters parameters_;
};

// Fits each task's context anew; with fewer than two points, predicts from a lengthscale and variance of 1 and noise
// 0.3.
class FittedGaussianProcess : public ProcessPredictor {
 public:
  explicit FittedGaussianProcess(const GpFitOptions& options) : options_(options) {}
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  std::shared_ptr<ProcessPredictor> FitTo(const torch::Tensor& context_x, const torch::Tensor& context_y) override;
  bool IsTranslationEquivariant() const override { return true; }
  bool TargetsAreIndependent() const override { return false; }  // because every call fits again

 private:
  GpFitOptions options_;
};

// The lower factors of symmetric matrices [.., n, n]. Where there is none, a jitter is added to the diagonal, from
// 1e-10 to 1e-2 of its mean, as little as the matrix needs. Throws InputError if that is not enough.
torch::Tensor StableCholesky(const torch::Tensor& matrices);

}  // namespace haplospin
