// Cross-validation: the accuracy of a model's predictions for rows that were not used in training.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "tabular/tabular_metrics.h"
#include "tabular/tabular_model.h"
#include "tabular/target_metrics.h"

namespace haplospin {

struct CrossValidationOptions {
  std::vector<TabularTrainingOptions> candidates;  // as TabularModel::Train()
  std::vector<std::string> targets;
  std::vector<std::vector<size_t>> folds;  // the test rows of each
  int64_t corrupted_rows = 0;              // test rows of each fold to predict again from corrupted others
  bool measures_columns = false;           // how much the predictions depend on each column
  std::optional<size_t> explained_row;     // a test row of some fold, whose attention is wanted
};

// The results for one target in one fold.
struct TargetResult {
  TabularMetrics metrics;
  TabularMetrics linear, neighbors, constant;         // of predictions without a network, on the same rows
  std::vector<std::pair<std::string, double>> parts;  // of the model: how much each counts
  std::vector<double> importance;                     // of each column of the table, as ColumnImportances()
  std::optional<TabularMetrics> intact, corrupted;    // of the rows that were predicted one by one; NPT, algorithm 1
};

struct FoldResult {
  size_t training_rows = 0;
  double seconds = 0.0;      // of training and predicting
  std::string architecture;  // that was taken
  std::vector<TargetResult> targets;
  std::vector<std::vector<TrainingPoint>> curves;  // of each member
};

// The prediction for one test row and one target.
struct TestPrediction {
  size_t row = 0;
  double truth = 0.0;                  // a class's index or a number
  double predicted = 0.0;              // the same
  double deviation = 0.0;              // of a number: the error to expect
  std::vector<float> probabilities{};  // of each class
};

struct AttendedRow {
  size_t row = 0;  // of the table
  double weight = 0.0;
};

struct CrossValidation {
  std::vector<FoldResult> folds;
  std::vector<std::vector<TestPrediction>> predictions;  // for each target, over all folds
  std::vector<AttendedRow> explanation;                  // all rows of the context, highest weight first
};

// Trains one model for each fold on the rows that are not its test rows. Categories of features that no training row
// has are missing in the test rows. Throws InputError as TabularModel::Train does, and if a fold has no test row with a
// target or no training rows.
CrossValidation CrossValidate(const Table& table, const CrossValidationOptions& options, torch::Device device,
                              const std::function<void(double, const std::string&)>& report = {});

// The means of a target's losses over the folds: those by which a model is compared with simpler predictions.
MetricsComparison ComparisonOf(const CrossValidation& evaluation, size_t target);

// NPT, algorithm 1: in each column the values of all rows in a new order, independently.
EncodedTable CorruptRows(const EncodedTable& rows, RandomStream& random);

}  // namespace haplospin
