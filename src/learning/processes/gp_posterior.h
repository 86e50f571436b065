// What a Gaussian process predicts from the points of a context.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "learning/models/neural_process/neural_process.h"
#include "learning/processes/gaussian_process.h"

namespace haplospin {

// Points up to which the posterior is exact. With more, it is that of inducing points, the FITC approximation
// (Snelson and Ghahramani, 2006): memory then grows with their number only, which is at most kMaxInducingPoints.
inline constexpr int64_t kMaxExactPoints = 2000;
inline constexpr int64_t kMaxInducingPoints = 1000;

class GaussianPosterior {
 public:
  // context_x [m, dx], context_y [m, dy]; m may be 0, which gives the prior.
  GaussianPosterior(GpParameters parameters, const torch::Tensor& context_x, const torch::Tensor& context_y,
                    int64_t max_exact_points = kMaxExactPoints);

  // Distribution of noisy observations at target_x [n, dx]; in double, mean and sd [1, 1, n, dy].
  Prediction Predict(const torch::Tensor& target_x) const;

 private:
  // Outputs that go together are rotated to outputs that are independent (Bonilla, Chai and Williams, 2008); those of
  // the same variance are one part.
  struct Part {
    double scale = 1;         // factor of the kernel's variance
    int64_t first = 0;        // the first of its rotated outputs
    torch::Tensor factor;     // Cholesky factor of the covariance, with noise where it is exact
    torch::Tensor explained;  // factor of what the context tells of the inducing points; undefined where it is exact
    torch::Tensor weights;    // those of the whitened covariance of a target, [points, outputs]
  };

  Part FitExactly(const torch::Tensor& y, double scale, int64_t first) const;
  Part FitInducingPoints(const torch::Tensor& x, const torch::Tensor& y, double scale, int64_t first) const;

  GpParameters parameters_;
  torch::Tensor outputs_;   // covariance [dy, dy]
  torch::Tensor rotation_;  // its eigenvectors [dy, dy]; undefined: the outputs are independent
  torch::Tensor points_;    // those of the context, or inducing points
  std::vector<Part> parts_;
};

}  // namespace haplospin
