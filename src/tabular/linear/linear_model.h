// A linear fit of the targets to the features of a table: a ridge regression for numbers, a penalized logistic
// regression for classes. The networks learn what it leaves.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "nn/layers/masking.h"
#include "tabular/linear/table_features.h"

namespace haplospin {

// Of classes that a target does not have, where another one has more; as AttributeHeads'.
inline constexpr double kAbsentLogit = -1e30;

// Cross-validation chooses the penalty, and whether the fit is linear or piecewise linear in the numeric features.
class LinearModel : public torch::nn::Module {
 public:
  // Predicts 0 until it is fitted. is_target: [d] bool.
  LinearModel(const Attributes& attributes, const torch::Tensor& is_target);

  // All of these rows have all targets. A part of very many rows is used.
  void Fit(const EncodedTable& rows);

  // For each row and target a logit of each class, or the number at index 0; 0 for features. [n, d, c]
  torch::Tensor forward(const MaskedTable& rows);

 private:
  Attributes attributes_;
  std::vector<int64_t> targets_;
  int64_t outputs_ = 1;
  std::shared_ptr<TableFeatures> features_;
  torch::Tensor weights_;  // [targets, p + 1, c], a buffer
  torch::Tensor absent_;   // [targets, c]: a very low logit for classes that a target does not have
};

}  // namespace haplospin
