// How far a step along each column of a table goes: learned from the labels.
#pragma once

#include <torch/types.h>

namespace haplospin {

struct ColumnScales {
  torch::Tensor scales;  // [d]
  double noise = 0;      // variance, relative to the kernel's
};

// Of a Gaussian process with the kernel exp(-sum_j scales_j |x_j - x'_j|): some steps up the gradient of the marginal
// likelihood (Rasmussen and Williams, 2006, eq. 5.9), from the scales `start`, near which they are held where the
// labels say little. distances [d, n, n] between the rows along each column; targets [n, outputs] of mean 0.
ColumnScales FitColumnScales(const torch::Tensor& distances, const torch::Tensor& targets, const torch::Tensor& start);

// Of kernel [n, n] + noise I; with more noise if rounding makes the kernel not positive definite.
torch::Tensor RegularizedInverse(const torch::Tensor& kernel, double noise);

}  // namespace haplospin
