// Accuracy of the predictions for one target.
#pragma once

#include "tabular/table_encoder.h"
#include "tabular/tabular_metrics.h"

namespace haplospin {

// Predictions as TabularModel::Predict() gives them for the column, [n, c], and its values in the encoded table, [n].
// deviations [n] in standardized units, of numbers; undefined: the root mean squared error for all rows.
TabularMetrics TargetMetrics(const EncodedColumn& column, const torch::Tensor& predictions, const torch::Tensor& truth,
                             const torch::Tensor& deviations = {});

// Of a model and of what it has to beat, on the same rows.
struct MetricsComparison {
  TabularMetrics model, linear, neighbors, constant;

  // A sentence that names what the model does not beat, by RMSE or by log-likelihood; empty if it beats all.
  std::string Warning() const;
};

}  // namespace haplospin
