// Linear fits of the targets to the features of a table, and of the errors of predictions.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "learning/nn/layers/masking.h"
#include "learning/tabular/table_encoder.h"
#include "learning/tabular/table_features.h"

namespace haplospin {

struct LinearFit {
  torch::Tensor weights;  // [p, c] double
  double loss = 0.0;      // mean squared error or negative log-likelihood in cross-validation
};

// Ridge regression of numbers (classes 0), or penalized logistic regression of classes 0, ..., classes - 1.
// Cross-validation chooses the penalty. features double [n, p], of which the last is 1 in every row and is not
// penalized; truth double [n]. Features are standardized inside; those that are constant get no weight.
LinearFit FitLinear(const torch::Tensor& features, const torch::Tensor& truth, int64_t classes);

// Cross-validation chooses the penalty, and whether the fit is linear or piecewise linear in the numeric features.
class LinearModel : public torch::nn::Module {
 public:
  // Predicts 0 until it is fitted. is_target: [d] bool.
  LinearModel(const Attributes& attributes, const torch::Tensor& is_target);

  // Fits rows that have all targets. Uses a part of very many rows.
  void Fit(const EncodedTable& rows);

  // Returns a logit of each class, or the number at index 0, for each row and target; 0 for features. [n, d, c]
  torch::Tensor forward(const MaskedTable& rows);

 private:
  Attributes attributes_;
  std::vector<int64_t> targets_;
  int64_t outputs_ = 1;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor weights_;  // [targets, p + 1, c], a buffer
  torch::Tensor absent_;   // [targets, c]: a very low logit for classes that a target does not have
};

// The standard deviation of the errors of numeric targets, row by row, and their distribution in deviations.
class PredictionErrorModel : public torch::nn::Module {
 public:
  PredictionErrorModel(const Attributes& attributes, const torch::Tensor& is_target);

  // Fits the deviations to the errors of predictions [v, d, c].
  void Fit(const EncodedTable& rows, const torch::Tensor& predictions);

  // Returns deviations in standardized units, [b, d]; 1 for classes and features.
  torch::Tensor Deviations(const MaskedTable& rows);

  // Returns how far quantiles are above the prediction of numbers, in deviations, [d, k].
  torch::Tensor Quantiles(const std::vector<double>& probabilities) const;

 private:
  torch::Tensor is_number_;  // [d] bool: numeric targets
  std::shared_ptr<LinearModel> logarithm_;
  torch::Tensor factor_;        // [d]
  torch::Tensor least_, most_;  // [d]: range of the logarithm
  torch::Tensor errors_;        // [d, kErrorLevels]: quantiles of the errors in deviations, ascending
};

}  // namespace haplospin
