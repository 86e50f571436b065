// Cross-validation: the accuracy of a model's predictions for rows that were not used in training.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "learning/tabular/tabular_metrics.h"
#include "learning/tabular/tabular_training.h"

namespace haplospin {

struct CrossValidationOptions {
  TabularTrainingOptions training;
  std::vector<std::string> targets;
  std::vector<std::vector<size_t>> folds;  // the test rows of each
  bool measures_columns = false;           // computes TargetResult::importance
  std::optional<size_t> explained_row;     // a test row of some fold, whose attention is wanted
};

// The results for one target in one fold.
struct TargetResult {
  MetricsComparison metrics;
  std::vector<std::pair<std::string, double>> parts;  // gain of each part of the model
  std::vector<double> importance;                     // permutation importance of each column of the table
};

struct FoldResult {
  size_t training_rows = 0;
  double seconds = 0.0;  // time of training and predicting
  std::vector<TargetResult> targets;
  std::vector<std::vector<ValidationPoint>> curves;  // learning curve of each network
};

// The prediction for one test row and one target.
struct TestPrediction {
  size_t row = 0;
  double truth = 0.0;                  // a class's index or a number
  double predicted = 0.0;              // a class's index or a number
  double deviation = 0.0;              // error to expect of a number
  std::vector<float> probabilities{};  // probability of each class
};

struct AttendedRow {
  size_t row = 0;  // index in the table
  double weight = 0.0;
};

struct CrossValidation {
  std::vector<FoldResult> folds;
  std::vector<std::vector<TestPrediction>> predictions;  // predictions of each target, over all folds
  std::vector<AttendedRow> explanation;                  // rows of the context, highest weight first
};

// Trains one model for each fold on the rows that are not its test rows. Categories of features that no training row
// has are missing in the test rows. Throws InputError as TrainTabularModel() does, and if a fold has no test row with a
// target or no training rows.
CrossValidation CrossValidate(const Table& table, const CrossValidationOptions& options, torch::Device device,
                              const std::function<void(double, const std::string&)>& report = {});

// The means of a target's losses over the folds: those by which a model is compared with simpler predictions.
MetricsComparison CompareMetrics(const CrossValidation& evaluation, size_t target);

}  // namespace haplospin
