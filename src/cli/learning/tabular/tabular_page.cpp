#include "cli/learning/tabular/tabular_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/learning/tabular/prediction_charts.h"
#include "cli/options/output.h"
#include "haplospin/version.h"
#include "report/chart.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kExplainedRows = 15;
constexpr size_t kImportantColumns = 20;

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
    AddPredictions(page, *evaluated.table.Find(evaluated.options.choices.targets[t]),
                   evaluated.evaluation.predictions[t]);
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
