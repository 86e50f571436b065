// The accuracy of a predictor on tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/processes/process_predictor.h"
#include "learning/processes/task_source.h"

namespace haplospin {

struct ProcessEvaluation {
  int64_t tasks = 0, targets = 0;
  IntegerRange context;       // context points of a task
  double log_likelihood = 0;  // mean over targets, of all outputs of a target together
  double standard_error = 0;  // standard error of log_likelihood over tasks
  double rmse = 0;            // error of the predicted mean, over targets and outputs
  // Shares of the observations inside central intervals of probability 0, 0.1, ..., 1, and the mean squared distance of
  // shares from probabilities (Rastogi et al., 2023, eq. 1).
  std::vector<double> confidence, covered;
  double calibration = 0;
  double seconds = 0;  // wall-clock time of the predictions
  // The first task, with its prediction.
  ProcessTasks example;
  Prediction example_prediction;
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

// Predicts `batches` batches of `batch` tasks each. The figures are in the units of the table, if tasks are from one.
ProcessEvaluation EvaluatePredictor(const ChosenPredictor& chosen, const TaskSource& source, int64_t batches,
                                    int64_t batch, uint64_t seed);

}  // namespace haplospin
