// The kernels of Gaussian processes.
#pragma once

#include <torch/types.h>

#include <span>
#include <string>
#include <vector>

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

// Does this for several functions, each at its own points x [b, n, dx]: [b, n, n]. All have as many lengthscales.
torch::Tensor GpCovariances(std::span<const GpParameters> parameters, const torch::Tensor& x);

// Returns the variance of the function at each point x [n, dx], without noise: [n], in double.
torch::Tensor PriorVariance(const GpParameters& parameters, const torch::Tensor& x);

// The noise at which a fit begins, relative to the deviation of the outputs, and the least that it may find.
inline constexpr double kStartGpNoise = 0.3, kMinGpNoise = 1e-3;

// The covariance as a function of tensors, so that a fit can differentiate it. All parameters are positive.
struct KernelTensors {
  torch::Tensor lengthscale;           // [dx] or [1]; of several functions [b, 1, dx]
  torch::Tensor smoothness, variance;  // numbers; of several functions [b, 1, 1]
};
torch::Tensor KernelCovariance(GpKernel kernel, const KernelTensors& p, const torch::Tensor& x1,
                               const torch::Tensor& x2);

// Whether the covariance depends only on the sum of (d / lengthscale)^2, which StationaryCovariance() takes.
bool IsStationary(GpKernel kernel);
torch::Tensor StationaryCovariance(GpKernel kernel, const torch::Tensor& variance, const torch::Tensor& squared);

// The lower factors of symmetric matrices [.., n, n]. Where there is none, a jitter is added to the diagonal, from
// 1e-10 to 1e-2 of its mean, as little as the matrix needs. Throws InputError if that is not enough.
torch::Tensor StableCholesky(const torch::Tensor& matrices);

}  // namespace haplospin
