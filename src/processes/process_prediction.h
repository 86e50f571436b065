// Predictions of sets of targets, and their accuracy.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "models/neural_process/neural_process.h"

namespace haplospin {

// As predictor.Predict() without gradients; independent targets are predicted in blocks, so that memory depends on the
// context only.
Prediction PredictInBlocks(ProcessPredictor& predictor, const ProcessTasks& tasks);

// Functions drawn at the targets of one task, [count, n, dy]: targets are drawn one after the other in a random order,
// each with those before it added to the context, so that they are consistent although the model predicts only marginal
// distributions (Bruinsma et al., 2023).
torch::Tensor SampleFunctions(ProcessPredictor& predictor, const ProcessTasks& task, int64_t count,
                              RandomStream& random);

struct ProcessEvaluation {
  int64_t tasks = 0, targets = 0;
  double log_likelihood = 0;  // of a target, its outputs together
  double standard_error = 0;  // of that, over tasks
  double rmse = 0;            // of the mean, over targets and outputs
  // Shares of the observations inside central intervals of probability 0, 0.1, ..., 1, and the mean squared distance of
  // shares from probabilities (Rastogi et al., 2023, eq. 1).
  std::vector<double> confidence, covered;
  double calibration = 0;
};

// Sums over batches of tasks.
class EvaluationSums {
 public:
  EvaluationSums();
  void Add(const Prediction& prediction, const torch::Tensor& target_y);
  ProcessEvaluation Result() const;

 private:
  std::vector<double> task_means_;
  std::vector<double> inside_;  // observations, for each confidence
  double squared_error_ = 0;
  int64_t targets_ = 0, observations_ = 0;
};

}  // namespace haplospin
