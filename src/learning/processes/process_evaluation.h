// The accuracy of a predictor on tasks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learning/processes/process_predictor.h"
#include "learning/processes/task_source.h"

namespace haplospin {

struct ProcessEvaluation {
  // A group is what varies between evaluations: the rows of a table's group, or a simulated function.
  int64_t groups = 0, tasks = 0, targets = 0;
  IntegerRange context;                  // context points of a task
  double log_likelihood = 0;             // that of a target with all of its outputs: mean over groups of their means
  std::optional<double> standard_error;  // that of log_likelihood over groups; none with one group
  double rmse = 0;                       // error of the predicted mean, over targets and outputs
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
  // Adds tasks, each of a group of its own, or all of the group that is given.
  void Add(const Prediction& prediction, const torch::Tensor& target_y, std::optional<size_t> group = {});
  ProcessEvaluation Result() const;

 private:
  struct Mean {
    double sum = 0;
    int64_t tasks = 0;
  };
  std::vector<Mean> groups_;    // means of the log-likelihood
  std::vector<double> inside_;  // observations, for each confidence
  double squared_error_ = 0;
  int64_t targets_ = 0, observations_ = 0;
};

// Predicts `batches` batches of `batch` tasks each. Of a table, every group has equally many of these tasks, one to 16;
// where there are more groups than tasks, as many groups have one. The figures are then in the units of the table.
ProcessEvaluation EvaluatePredictor(const ChosenPredictor& chosen, const TaskSource& source, int64_t batches,
                                    int64_t batch, uint64_t seed);

}  // namespace haplospin
