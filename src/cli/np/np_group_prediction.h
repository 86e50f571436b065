// Predictions for the targets of one group of a user's points.
#pragma once

#include <optional>
#include <vector>

#include "cli/np/np_predictor.h"
#include "processes/task_source.h"

namespace haplospin {

// A set of points in the units of the files.
struct Points {
  torch::Tensor x, y;  // double [n, dx], [n, dy]
};

struct GroupPredictionOptions {
  std::vector<double> quantiles;  // probabilities
  int64_t samples = 0;            // functions to draw
  uint64_t seed = 1;
};

// In the units of the files; n targets.
struct GroupPrediction {
  Points context;
  torch::Tensor target_x;                // double [n, dx]
  torch::Tensor mean, sd;                // double [n, dy]
  std::vector<torch::Tensor> quantiles;  // [n, dy] each
  torch::Tensor low, high;               // [n, dy] of the plot's band
  torch::Tensor samples;                 // [samples, n, dy], undefined if none are drawn
  bool is_outside_training = false;      // some target is where the model was not trained, and that matters to it
};

// Throws InputError where functions are to be drawn at too many targets.
GroupPrediction PredictGroup(const ChosenPredictor& chosen, const Points& context, const torch::Tensor& target_x,
                             const GroupPredictionOptions& options);

}  // namespace haplospin
