// The errors to expect of a model's predictions.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>

#include "tabular/linear/linear_model.h"
#include "tabular/table_encoder.h"

namespace haplospin {

// The standard deviation of the errors of numeric targets, row by row.
class ErrorModel : public torch::nn::Module {
 public:
  ErrorModel(const Attributes& attributes, const torch::Tensor& is_target);

  // Fits the deviations to the errors of predictions [v, d, c].
  void Fit(const EncodedTable& rows, const torch::Tensor& predictions);

  // Returns deviations in standardized units, [b, d]; 1 for classes and features.
  torch::Tensor Deviations(const MaskedTable& rows);

 private:
  torch::Tensor is_number_;  // [d] bool: numeric targets
  std::shared_ptr<LinearModel> logarithm_;
  torch::Tensor factor_;        // [d]
  torch::Tensor least_, most_;  // [d]: range of the logarithm
};

}  // namespace haplospin
