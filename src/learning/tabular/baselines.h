// Predictions that need no network: what a model has to beat, each as TabularModel::Predict() gives them.
#pragma once

#include <torch/types.h>

#include "learning/nn/layers/attributes.h"
#include "learning/tabular/table_encoder.h"

namespace haplospin {

// The mean of each number and the frequencies of each class among the training rows, [b, d, c].
torch::Tensor PredictConstant(const EncodedTable& training, const Attributes& attributes, int64_t rows);

// The mean, or the class frequencies, of the ten training rows that are nearest in the features: the distance is that
// of the standardized numbers, where another category counts as one deviation, and a missing value as the mean and one
// deviation. is_target: [d] bool.
torch::Tensor PredictFromNeighbors(const EncodedTable& training, const EncodedTable& rows, const Attributes& attributes,
                                   const torch::Tensor& is_target);

}  // namespace haplospin
