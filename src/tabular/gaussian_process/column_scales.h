// Learns from the labels how much each column of a table counts in a Gaussian process.
#pragma once

#include <torch/types.h>

namespace haplospin {

struct ColumnScales {
  torch::Tensor scales;  // [d]
  double noise = 0;      // variance, relative to the kernel's
};

// Fits the kernel exp(-sum_j scales_j |x_j - x'_j|) by some steps up the gradient of the marginal likelihood (Rasmussen
// and Williams, 2006, eq. 5.9). The steps begin at the scales `start`, and a prior holds columns of which the labels
// say little near them. distances [d, n, n] between the rows along each column; targets [n, outputs] of mean 0.
ColumnScales FitColumnScales(const torch::Tensor& distances, const torch::Tensor& targets, const torch::Tensor& start);

// The inverse of kernel [n, n] + noise I, with more noise if rounding makes the kernel not positive definite.
torch::Tensor RegularizedInverse(const torch::Tensor& kernel, double noise);

}  // namespace haplospin
