#include "cli/learning/tabular/prediction_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "learning/tabular/tabular_metrics.h"
#include "report/chart.h"

namespace haplospin {
namespace {

using Predictions = std::vector<TestPrediction>;

constexpr size_t kMaxRocCurves = 6;
constexpr size_t kErrorGroups = 10;  // groups of rows with similar expected errors

Chart PredictedAgainstTrue(const std::string& name, const Predictions& predictions) {
  Chart chart(name, {.title = "true"}, {.title = "predicted"});
  std::vector<double> truth, predicted;
  for (const TestPrediction& prediction : predictions) {
    truth.push_back(prediction.truth);
    predicted.push_back(prediction.predicted);
  }
  const auto [low, high] = std::ranges::minmax(truth);
  chart.AddReferenceLine(low, low, high, high);
  chart.AddPoints("", truth, predicted);
  return chart;
}

// Errors in groups of rows, in the order of the errors that were expected.
Chart ExpectedErrors(Predictions predictions) {
  std::ranges::sort(predictions, {}, &TestPrediction::deviation);
  std::vector<double> expected, made;
  for (size_t group = 0; group < kErrorGroups; ++group) {
    const size_t first = predictions.size() * group / kErrorGroups,
                 end = predictions.size() * (group + 1) / kErrorGroups;
    if (first == end) continue;
    double variance = 0.0, squares = 0.0;
    for (size_t i = first; i < end; ++i) {
      variance += predictions[i].deviation * predictions[i].deviation;
      squares += (predictions[i].predicted - predictions[i].truth) * (predictions[i].predicted - predictions[i].truth);
    }
    expected.push_back(std::sqrt(variance / static_cast<double>(end - first)));
    made.push_back(std::sqrt(squares / static_cast<double>(end - first)));
  }
  Chart chart("Errors in ten groups of rows", {.title = "standard deviation predicted"}, {.title = "RMSE"});
  chart.AddReferenceLine(expected.front(), expected.front(), expected.back(), expected.back());
  chart.AddLine("", expected, made);
  return chart;
}

PageTable Confusion(const Column& column, const Predictions& predictions) {
  const size_t classes = column.categories.size();
  std::vector<std::vector<size_t>> count(classes, std::vector<size_t>(classes));
  for (const TestPrediction& prediction : predictions) {
    ++count[static_cast<size_t>(prediction.truth)][static_cast<size_t>(prediction.predicted)];
  }
  PageTable table;
  table.headings = {"true \\ predicted"};
  for (const std::string& name : column.categories) table.headings.push_back(name);
  for (size_t i = 0; i < classes; ++i) {
    std::vector<std::string> row = {column.categories[i]};
    for (const size_t number : count[i]) row.push_back(std::to_string(number));
    table.rows.push_back(std::move(row));
  }
  return table;
}

PageTable ClassMeasures(const Column& column, const Predictions& predictions) {
  PageTable table{.headings = {"Class", "Base rate", "Precision", "Recall", "F1"}};
  const auto share = [](double part, double of) { return of > 0 ? fmt::format("{:.3f}", part / of) : "-"; };
  for (size_t c = 0; c < column.categories.size(); ++c) {
    double true_rows = 0, predicted_rows = 0, right = 0;
    for (const TestPrediction& prediction : predictions) {
      const bool is_true = prediction.truth == static_cast<double>(c);
      const bool is_predicted = prediction.predicted == static_cast<double>(c);
      true_rows += is_true ? 1 : 0;
      predicted_rows += is_predicted ? 1 : 0;
      right += is_true && is_predicted ? 1 : 0;
    }
    table.rows.push_back({column.categories[c], share(true_rows, static_cast<double>(predictions.size())),
                          share(right, predicted_rows), share(right, true_rows),
                          share(2 * right, true_rows + predicted_rows)});
  }
  return table;
}

// The probability that each row was given to be of class c, and whether it is.
struct ClassScores {
  std::vector<double> probability;
  std::vector<double> is_class;
};

ClassScores ScoreClass(const Predictions& predictions, size_t c) {
  ClassScores scores;
  for (const TestPrediction& prediction : predictions) {
    scores.probability.push_back(prediction.probabilities[c]);
    scores.is_class.push_back(prediction.truth == static_cast<double>(c) ? 1 : 0);
  }
  return scores;
}

// The ROC curve of the second of two classes, or of each class against the others.
Chart RocCurves(const Column& column, const Predictions& predictions) {
  Chart chart("ROC", {.title = "false positive rate", .low = 0.0, .high = 1.0},
              {.title = "true positive rate", .low = 0.0, .high = 1.0});
  chart.AddReferenceLine(0, 0, 1, 1);
  const size_t classes = column.categories.size();
  for (size_t c = classes == 2 ? 1 : 0; c < std::min(classes, kMaxRocCurves); ++c) {
    const ClassScores scores = ScoreClass(predictions, c);
    const auto [lowest, highest] = std::ranges::minmax(scores.is_class);
    if (lowest == highest) continue;
    const RocCurve curve = ComputeRoc(torch::tensor(scores.probability, torch::kFloat64),
                                      torch::tensor(scores.is_class, torch::kFloat64) > 0);
    chart.AddLine(column.categories[c], curve.false_positive, curve.true_positive, LineMarkers::kNone);
  }
  return chart;
}

Chart CalibrationChart(const Predictions& predictions) {
  std::vector<double> confidence, is_right;
  for (const TestPrediction& prediction : predictions) {
    confidence.push_back(prediction.probabilities[static_cast<size_t>(prediction.predicted)]);
    is_right.push_back(prediction.truth == prediction.predicted ? 1 : 0);
  }
  const ClassCalibration calibration =
      ComputeCalibration(torch::tensor(confidence, torch::kFloat64), torch::tensor(is_right, torch::kFloat64));
  Chart chart("Calibration", {.title = "probability of the predicted class", .low = 0.0, .high = 1.0},
              {.title = "share that is right", .low = 0.0, .high = 1.0});
  chart.AddReferenceLine(0, 0, 1, 1);
  chart.AddLine("", calibration.confidence, calibration.right);
  return chart;
}

}  // namespace

void AddPredictions(Page& page, const Column& column, const std::vector<TestPrediction>& predictions) {
  if (column.IsNumeric()) {
    page.AddChart(PredictedAgainstTrue(column.name, predictions));
    page.AddChart(ExpectedErrors(predictions));
    return;
  }
  page.AddTable(ClassMeasures(column, predictions));
  page.AddTable(Confusion(column, predictions));
  page.AddChart(RocCurves(column, predictions));
  page.AddChart(CalibrationChart(predictions));
}

}  // namespace haplospin
