// Penalized linear and logistic regression with a penalty chosen by cross-validation.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

struct LinearFit {
  torch::Tensor weights;  // [p, c] double
  double loss = 0.0;      // in cross-validation: mean squared error, or mean negative log-likelihood
};

// features double [n, p], of which the last is 1 in every row and is not penalized; truth double [n], numbers or
// classes 0, ..., classes - 1; classes 0: numbers. Features are standardized inside; those that are constant get no
// weight.
LinearFit FitLinear(const torch::Tensor& features, const torch::Tensor& truth, int64_t classes);

}  // namespace haplospin
