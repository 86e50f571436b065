// What the networks of a model predict for their validation rows, whose targets they have not seen.
#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "tabular/linear/linear_model.h"
#include "tabular/table_encoder.h"

namespace haplospin {

// Each [v, d, c] as TabularModel::Predict() gives them.
struct ValidationPredictions {
  EncodedTable rows;                  // [v, d]
  torch::Tensor network, linear;      // with the network, and of the linear fit alone
  torch::Tensor neighbors, constant;  // of baselines.h
  torch::Tensor smoothed;             // what the neighbors add to the linear fit
};

// The rows of all parts, one after the other.
ValidationPredictions Join(const std::vector<ValidationPredictions>& parts);

// How much of what the network and of what the neighbors add to the linear fit makes the least error: [d, 2], from 0 to
// 1; (1, 0) for features.
torch::Tensor BestGains(const ValidationPredictions& validation, const Attributes& attributes,
                        const torch::Tensor& is_target);

// The linear fit, and what the network and the neighbors add to it with these gains. Probabilities stay probabilities.
torch::Tensor Combine(const torch::Tensor& linear, const torch::Tensor& network, const torch::Tensor& smoothed,
                      const torch::Tensor& gains, const Attributes& attributes);

// The standard deviation of the errors of numeric targets, row by row.
class ErrorModel : public torch::nn::Module {
 public:
  ErrorModel(const Attributes& attributes, const torch::Tensor& is_target);

  // From the errors of predictions [v, d, c].
  void Fit(const EncodedTable& rows, const torch::Tensor& predictions);

  // In standardized units; 1 for classes and features. [b, d]
  torch::Tensor Deviations(const MaskedTable& rows);

 private:
  torch::Tensor is_number_;  // [d] bool: numeric targets
  std::shared_ptr<LinearModel> logarithm_;
  torch::Tensor factor_;        // [d]
  torch::Tensor least_, most_;  // [d]: of the logarithm
};

}  // namespace haplospin
