// The distribution of a label around its predicted mean.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace haplospin {

// Numbers of mean 0 and variance 1, or indicators of classes, as targets of regressions: [n] -> [n, outputs].
torch::Tensor LabelTargets(const torch::Tensor& labels, int64_t classes);

// A number has the distribution of the known errors around its mean, and with few errors a t distribution; the
// probabilities of classes are powers of the means of their
// indicators.
class LabelDistribution {
 public:
  // Finds the deviation and the tails of numbers (classes 0), or the calibration of probabilities, that makes the
  // targets most likely. means and targets [n, outputs]; each row was predicted from other rows.
  LabelDistribution(const torch::Tensor& means, const torch::Tensor& targets, int64_t classes);

  // Probabilities of each class, [n, classes].
  torch::Tensor Probabilities(const torch::Tensor& means) const;

  // The root mean squared error of the mean of a number, and how far a quantile is above the mean.
  double deviation() const { return deviation_; }
  double Quantile(double probability) const;

 private:
  std::vector<float> errors_;  // errors of numbers, ascending
  double deviation_ = 1, scale_ = 1;
  int degrees_ = 4;  // degrees of freedom, an even number
  double floor_ = 0.01, sharpness_ = 1;
};

}  // namespace haplospin
