// How well labels of synthetic tables are predicted, beside simpler predictions.
#pragma once

#include <string>
#include <vector>

#include "tabular/pretrained/in_context_loss.h"

namespace haplospin {

// Means over tables. Of classes: the share of rows that are predicted rightly. Of numbers: the root mean squared error
// relative to that of the context's mean; more than 2 counts as 2.
class TaskScores {
 public:
  // predicted: classes, or standardized numbers.
  void Add(const torch::Tensor& predicted, const torch::Tensor& labels, int64_t classes);
  void Add(const TaskPredictions& predictions);

  // "accuracy 0.81, relative RMSE 0.55"
  std::string Text() const;

 private:
  double right_ = 0, class_tables_ = 0, error_ = 0, number_tables_ = 0;
};

struct BaselineScores {
  TaskScores linear, neighbors, constant;
};

// Of a ridge or logistic regression, of the ten nearest neighbors, and of the context's mean or likeliest class.
BaselineScores ScoreBaselines(const std::vector<TableTask>& tasks);

}  // namespace haplospin
