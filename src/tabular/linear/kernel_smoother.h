// What a row's neighbors say beyond a linear fit: a smoother of its residuals.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "tabular/linear/table_features.h"

namespace haplospin {

// A kernel ridge regression (the mean of a Gaussian process) of residuals on the standardized features. The rows whose
// residuals are smoothed are given for each use and are not part of the state; what is chosen is how far neighbors are
// (the kernel) and how noisy they are (the penalty), for each target.
class KernelSmoother : public torch::nn::Module {
 public:
  KernelSmoother(const Attributes& attributes, const torch::Tensor& is_target);

  // The kernel and the penalty with the least leave-one-out error. residuals [n, d, c], of rows that the fit has not
  // seen; those of features are not used. A part of many rows is used.
  void Choose(const EncodedTable& rows, const torch::Tensor& residuals);

  // Rows with their residuals as they are smoothed; a part of many rows is used.
  struct Fit {
    torch::Tensor features;              // [m, p] standardized
    std::vector<torch::Tensor> weights;  // of each target, [m, c]
  };
  Fit FitTo(const EncodedTable& rows, const torch::Tensor& residuals) const;

  // The residuals to expect, [b, d, c]; 0 for features.
  torch::Tensor Predict(const Fit& fit, const EncodedTable& rows) const;

 private:
  torch::Tensor Standardized(const EncodedTable& rows) const;

  int64_t attributes_ = 0;
  std::vector<int64_t> targets_;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor center_, factor_;  // [p]
  torch::Tensor choice_;           // [targets, 3]: is it a Laplace kernel, lengthscale, penalty
};

}  // namespace haplospin
