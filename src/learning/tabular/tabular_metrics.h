// Accuracy of predictions.
#pragma once

#include <torch/types.h>

#include <optional>
#include <string>
#include <vector>

#include "learning/tabular/table_encoder.h"

namespace haplospin {

// Measures of one target over the rows that have a value. Measures that do not apply are empty.
struct TabularMetrics {
  int64_t rows = 0;
  std::optional<double> accuracy;  // fraction of rows whose most probable class is the true one
  std::optional<double> auroc;     // area under the ROC curve; with more than two classes the mean of one class against
                                   // the rest over the classes that some rows have and others have not
  std::optional<double> recall;    // mean over the classes of the share of their rows that are predicted as such
  std::optional<double> f1;        // mean over the classes of the harmonic mean of precision and recall
  std::optional<double> ece;       // expected calibration error: mean difference between the probability of the most
                                   // probable class and the share of such predictions that are right, in ten bins
  std::optional<double> nll;       // mean negative log-likelihood, in nats; of numbers with normal errors
  std::optional<double> rmse;      // root mean squared error in the target's own units
};

// probabilities [n, c], classes int64 [n].
TabularMetrics ClassMetrics(const torch::Tensor& probabilities, const torch::Tensor& classes);

// means and truth [n] in the target's own units; deviations [n]: of the errors as the model expects them.
TabularMetrics NumberMetrics(const torch::Tensor& means, const torch::Tensor& truth, const torch::Tensor& deviations);

// The points of a ROC curve, from (0, 0) to (1, 1): false and true positive rates. scores double [n], positive bool
// [n], which has both kinds.
struct RocCurve {
  std::vector<double> false_positive, true_positive;
};
RocCurve ComputeRoc(const torch::Tensor& scores, const torch::Tensor& positive);

// Predictions in ten bins of their probability: its mean and the share that is right; empty bins are left out.
struct ClassCalibration {
  std::vector<double> confidence, right, share;
  double Error() const;  // expected calibration error
};
ClassCalibration ComputeCalibration(const torch::Tensor& confidence, const torch::Tensor& is_right);

// Area under the ROC curve: the chance that a positive scores above a negative, ties counting half. Empty where all are
// of one kind. scores double [n], positive bool [n].
std::optional<double> AreaUnderRoc(const torch::Tensor& scores, const torch::Tensor& positive);

// The metrics of a column's predictions [n, c] as TabularModel::Predict() returns them. truth [n]: the column of the
// encoded table. deviations [n] in standardized units, of numbers; undefined: the root mean squared error for all rows.
TabularMetrics TargetMetrics(const EncodedColumn& column, const torch::Tensor& predictions, const torch::Tensor& truth,
                             const torch::Tensor& deviations = {});

// The metrics of a model and of simpler predictions that it has to beat, on the same rows.
struct MetricsComparison {
  TabularMetrics model, linear, neighbors, constant;

  // Names what the model does not beat, by RMSE or by log-likelihood; empty if it beats all.
  std::string Warning() const;
};

struct MeanAndError {
  double mean = 0.0;
  double standard_error = 0.0;  // 0 for a single value
};
MeanAndError Summarize(const std::vector<double>& values);

}  // namespace haplospin
