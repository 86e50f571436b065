#include "cli/learning/tabular/tabular_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/options/output.h"
#include "haplospin/version.h"
#include "report/chart.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kExplainedRows = 15;
constexpr size_t kImportantColumns = 20;
constexpr size_t kMaxRocCurves = 6;
constexpr size_t kErrorGroups = 10;  // groups of rows with similar expected errors

struct Measure {
  const char *name, *json_name;
  std::optional<double> TabularMetrics::*value;
};
constexpr Measure kMeasures[] = {{"accuracy", "accuracy", &TabularMetrics::accuracy},
                                 {"recall", "recall", &TabularMetrics::recall},
                                 {"F1", "f1", &TabularMetrics::f1},
                                 {"AUROC", "auroc", &TabularMetrics::auroc},
                                 {"calibration error", "calibration_error", &TabularMetrics::ece},
                                 {"NLL", "nll", &TabularMetrics::nll},
                                 {"RMSE", "rmse", &TabularMetrics::rmse}};

// The model, and the predictions that it has to beat.
struct Source {
  const char *suffix, *heading;
  TabularMetrics MetricsComparison::*metrics;
};
constexpr Source kSources[] = {{"", "Model", &MetricsComparison::model},
                               {", linear fit", "Linear fit", &MetricsComparison::linear},
                               {", nearest neighbors", "Nearest neighbors", &MetricsComparison::neighbors},
                               {", no features", "No features", &MetricsComparison::constant}};

// The values of a measure in the folds that have it.
std::vector<double> MeasureValues(const EvaluatedTable& evaluated, size_t target, const Source& source,
                                  const Measure& measure) {
  std::vector<double> values;
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    const std::optional<double> value = fold.targets[target].metrics.*source.metrics.*measure.value;
    if (value) values.push_back(*value);
  }
  return values;
}

struct SummaryRow {
  size_t target = 0;
  std::string measure;
  MeanAndError value;
  size_t folds = 0;
};

std::vector<SummaryRow> Summary(const EvaluatedTable& evaluated) {
  std::vector<SummaryRow> rows;
  for (size_t t = 0; t < evaluated.options.choices.targets.size(); ++t) {
    for (const Source& source : kSources) {
      for (const Measure& measure : kMeasures) {
        const std::vector<double> values = MeasureValues(evaluated, t, source, measure);
        if (values.empty()) continue;
        rows.push_back({t, std::string(measure.name) + source.suffix, Summarize(values), values.size()});
      }
    }
  }
  return rows;
}

// Heading, then a row for each of the rows attended to most.
std::vector<std::vector<std::string>> ExplanationRows(const EvaluatedTable& evaluated) {
  std::vector<std::vector<std::string>> rows = {{"line", "weight"}};
  for (const Column& column : evaluated.table.columns) rows[0].push_back(column.name);
  const size_t shown = std::min(kExplainedRows, evaluated.evaluation.explanation.size());
  for (size_t i = 0; i < shown; ++i) {
    const AttendedRow& attended = evaluated.evaluation.explanation[i];
    std::vector<std::string> cells = {std::to_string(evaluated.table.lines[attended.row]),
                                      fmt::format("{:.4f}", attended.weight)};
    for (const Column& column : evaluated.table.columns) cells.push_back(column.Text(attended.row));
    rows.push_back(std::move(cells));
  }
  return rows;
}

// Mean over the folds, and its standard error, of each column that is no target.
struct ColumnRow {
  std::string column;
  MeanAndError value;
};

std::vector<ColumnRow> ColumnImportance(const EvaluatedTable& evaluated, size_t target) {
  std::vector<ColumnRow> rows;
  for (size_t j = 0; j < evaluated.table.columns.size(); ++j) {
    std::vector<double> values;
    for (const FoldResult& fold : evaluated.evaluation.folds) {
      const std::vector<double>& importance = fold.targets[target].importance;
      if (j < importance.size() && !std::isnan(importance[j])) values.push_back(importance[j]);
    }
    if (!values.empty()) rows.push_back({evaluated.table.columns[j].name, Summarize(values)});
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), [](const ColumnRow& row) { return row.value.mean; });
  return rows;
}

// "0.81 ± 0.02", of the folds that have the measure.
std::string MeasureText(const EvaluatedTable& evaluated, size_t target, const Source& source, const Measure& measure) {
  const std::vector<double> values = MeasureValues(evaluated, target, source, measure);
  if (values.empty()) return "";
  const MeanAndError summary = Summarize(values);
  if (values.size() == 1) return fmt::format("{:.4g}", summary.mean);
  return fmt::format("{:.4g} ± {:.2g}", summary.mean, summary.standard_error);
}

// A row for each measure, a column for the model and for each of the predictions that it has to beat.
void AddMeasures(Page& page, const EvaluatedTable& evaluated, size_t target) {
  PageTable table{.headings = {"Measure"}};
  for (const Source& source : kSources) table.headings.emplace_back(source.heading);
  for (const Measure& measure : kMeasures) {
    std::vector<std::string> row = {measure.name};
    for (const Source& source : kSources) row.push_back(MeasureText(evaluated, target, source, measure));
    if (!row[1].empty()) table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
  const auto& folds = evaluated.evaluation.folds;
  std::vector<std::string> texts;
  for (size_t part = 0; part < folds.front().targets[target].parts.size(); ++part) {
    double sum = 0.0;
    for (const FoldResult& fold : folds) sum += fold.targets[target].parts[part].second;
    texts.push_back(fmt::format("{} {:.2f}", folds.front().targets[target].parts[part].first,
                                sum / static_cast<double>(folds.size())));
  }
  page.AddParagraph(
      fmt::format("How much each part counts beside the linear fit, from 0 to 1, mean over the folds: {}.",
                  fmt::join(texts, ", ")));
}

using Predictions = std::vector<TestPrediction>;

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

// Adds the charts and tables of the predictions for a target.
void AddTarget(Page& page, const Column& column, const Predictions& predictions) {
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

// Adds the columns that matter most.
void AddImportance(Page& page, const EvaluatedTable& evaluated, size_t target) {
  std::vector<ColumnRow> rows = ColumnImportance(evaluated, target);
  if (rows.empty()) return;
  const size_t columns = rows.size();
  rows.resize(std::min(columns, kImportantColumns));
  const Column& column = *evaluated.table.Find(evaluated.options.choices.targets[target]);
  const std::string measure = column.IsNumeric() ? "RMSE" : "negative log-likelihood";
  std::vector<std::string> labels;
  for (const ColumnRow& row : rows) labels.push_back(row.column);
  Chart chart("Column importance",
              {.title = fmt::format("increase of the {} if the column is shuffled", measure),
               .low = std::min(0.0, rows.back().value.mean)},
              {.labels = labels});
  for (size_t i = 0; i < rows.size(); ++i) {
    const double mean = rows[i].value.mean, y = static_cast<double>(rows.size() - 1 - i);
    chart.AddReferenceLine(0, y, mean, y);
    chart.AddLine("mean over the folds", std::vector{mean}, std::vector{y});
  }
  page.AddChart(chart);
  if (columns > rows.size()) {
    page.AddParagraph(fmt::format("The {} most important of {} columns are shown.", rows.size(), columns));
  }
}

Chart LearningCurves(const EvaluatedTable& evaluated) {
  Chart chart("Learning curves", {.title = "step"}, {.title = "loss"});
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    for (const std::vector<ValidationPoint>& curve : fold.curves) {
      std::vector<double> step, training, validation;
      for (const ValidationPoint& point : curve) {
        step.push_back(static_cast<double>(point.step));
        training.push_back(point.loss);
        validation.push_back(-point.score);
      }
      chart.AddLine("training", step, training, LineMarkers::kNone);
      chart.AddLine("validation", step, validation, LineMarkers::kNone);
    }
  }
  return chart;
}

nlohmann::json MetricsJson(const TabularMetrics& metrics) {
  nlohmann::json json = {{"rows", metrics.rows}};
  for (const Measure& measure : kMeasures) {
    if (metrics.*measure.value) json[measure.json_name] = *(metrics.*measure.value);
  }
  return json;
}

}  // namespace

std::vector<std::string> ComparisonLines(const MetricsComparison& comparison, const std::string& model) {
  std::vector<std::string> lines;
  const auto add = [&](const std::string& name, const TabularMetrics& metrics) {
    std::string line = name + ":";
    for (const Measure& measure : kMeasures) {
      if (!(metrics.*measure.value)) continue;
      line += fmt::format("{} {} {:.4g}", line.ends_with(':') ? "" : ",", measure.name, *(metrics.*measure.value));
    }
    lines.push_back(line);
  };
  add(model, comparison.model);
  add("linear fit", comparison.linear);
  add("nearest neighbors", comparison.neighbors);
  add(comparison.model.rmse ? "mean" : "class frequencies", comparison.constant);
  return lines;
}

std::string EvaluationText(const EvaluatedTable& evaluated) {
  TextTable text;
  text.AddRow({"target", "measure", "mean", "standard error", "folds"});
  for (const SummaryRow& row : Summary(evaluated)) {
    text.AddRow({evaluated.options.choices.targets[row.target], row.measure, fmt::format("{:.5g}", row.value.mean),
                 row.folds > 1 ? fmt::format("{:.3g}", row.value.standard_error) : "-", std::to_string(row.folds)});
  }
  return text.Text();
}

std::string EvaluationJson(const EvaluatedTable& evaluated) {
  nlohmann::json json = {{"haplospin", kVersion},
                         {"data", evaluated.options.data},
                         {"model", evaluated.options.model},
                         {"preset", evaluated.options.preset},
                         {"seed", evaluated.options.seed()},
                         {"network", evaluated.training.network},
                         {"members", evaluated.training.members}};
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    nlohmann::json item = {{"training_rows", fold.training_rows}, {"seconds", fold.seconds}};
    for (size_t t = 0; t < fold.targets.size(); ++t) {
      nlohmann::json& target = item["targets"][evaluated.options.choices.targets[t]];
      const MetricsComparison& metrics = fold.targets[t].metrics;
      target = MetricsJson(metrics.model);
      target["linear"] = MetricsJson(metrics.linear);
      target["nearest_neighbors"] = MetricsJson(metrics.neighbors);
      target["no_features"] = MetricsJson(metrics.constant);
      for (const auto& [part, gain] : fold.targets[t].parts) target["parts"][part] = gain;
    }
    json["folds"].push_back(std::move(item));
  }
  for (const SummaryRow& row : Summary(evaluated)) {
    json["summary"].push_back({{"target", evaluated.options.choices.targets[row.target]},
                               {"measure", row.measure},
                               {"mean", row.value.mean},
                               {"standard_error", row.value.standard_error}});
  }
  for (size_t t = 0; t < evaluated.options.choices.targets.size(); ++t) {
    for (const ColumnRow& row : ColumnImportance(evaluated, t)) {
      json["importance"].push_back({{"target", evaluated.options.choices.targets[t]},
                                    {"column", row.column},
                                    {"mean", row.value.mean},
                                    {"standard_error", row.value.standard_error}});
    }
  }
  for (const AttendedRow& attended : evaluated.evaluation.explanation) {
    json["explanation"].push_back({{"line", evaluated.table.lines[attended.row]}, {"weight", attended.weight}});
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string ExplanationText(const EvaluatedTable& evaluated) {
  TextTable text;
  for (std::vector<std::string>& row : ExplanationRows(evaluated)) text.AddRow(std::move(row));
  return text.Text();
}

std::string EvaluationPage(const EvaluatedTable& evaluated, const Provenance& provenance) {
  Page page(fmt::format("{} on {}", evaluated.options.model, evaluated.options.data));
  page.AddFacts({{"Rows", std::to_string(evaluated.table.rows())},
                 {"Columns", std::to_string(evaluated.table.columns.size())},
                 {"Folds", std::to_string(evaluated.evaluation.folds.size())},
                 {"Networks of each fold", std::to_string(evaluated.training.members)}});
  for (size_t t = 0; t < evaluated.options.choices.targets.size(); ++t) {
    page.AddSection(evaluated.options.choices.targets[t]);
    AddMeasures(page, evaluated, t);
    AddTarget(page, *evaluated.table.Find(evaluated.options.choices.targets[t]), evaluated.evaluation.predictions[t]);
    AddImportance(page, evaluated, t);
  }
  if (evaluated.training.members > 0) {
    page.AddSection("Training");
    page.AddChart(LearningCurves(evaluated));
  }
  if (!evaluated.evaluation.explanation.empty()) {
    page.AddSection("Rows that the row attends to");
    std::vector<std::vector<std::string>> rows = ExplanationRows(evaluated);
    PageTable table{.headings = rows.front(), .text_columns = 1};
    table.rows.assign(rows.begin() + 1, rows.end());
    page.AddTable(table);
  }
  page.AddModel(evaluated.options.model + ", trained anew for each fold");
  return page.Html(provenance);
}

}  // namespace haplospin
