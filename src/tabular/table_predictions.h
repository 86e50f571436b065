// What is predicted for rows of a table.
#pragma once

#include <torch/types.h>

namespace haplospin {

struct TablePredictions {
  torch::Tensor values;      // [b, d, c]: the probability of each class, or the mean at index 0
  torch::Tensor deviations;  // [b, d]: the standard deviation of the error to expect of a number
  torch::Tensor quantiles;   // [b, d, k], of numbers; undefined unless they were asked for
};

}  // namespace haplospin
