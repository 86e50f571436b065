#include "cli/tabular/tabular_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/options/text_table.h"
#include "cli/tabular/tabular_page_targets.h"
#include "haplospin/version.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kExplainedRows = 15;

struct Measure {
  const char* name;
  std::optional<double> TabularMetrics::*value;
};
constexpr Measure kMeasures[] = {
    {"accuracy", &TabularMetrics::accuracy}, {"recall", &TabularMetrics::recall},         {"F1", &TabularMetrics::f1},
    {"AUROC", &TabularMetrics::auroc},       {"calibration error", &TabularMetrics::ece}, {"NLL", &TabularMetrics::nll},
    {"RMSE", &TabularMetrics::rmse}};

// Which metrics of a target's result are summarized.
struct Source {
  const char* suffix;
  std::optional<TabularMetrics> (*of)(const TargetResult&);
};
const Source kSources[] = {
    {"", [](const TargetResult& result) { return std::optional(result.metrics); }},
    {", linear fit", [](const TargetResult& result) { return std::optional(result.linear); }},
    {", nearest neighbors", [](const TargetResult& result) { return std::optional(result.neighbors); }},
    {", no features", [](const TargetResult& result) { return std::optional(result.constant); }},
    {", one by one", [](const TargetResult& result) { return result.intact; }},
    {", others corrupted", [](const TargetResult& result) { return result.corrupted; }},
};

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
        std::vector<double> values;
        for (const FoldResult& fold : evaluated.evaluation.folds) {
          const std::optional<TabularMetrics> metrics = source.of(fold.targets[t]);
          if (metrics && (*metrics).*measure.value) values.push_back(*((*metrics).*measure.value));
        }
        if (values.empty()) continue;
        rows.push_back({t, std::string(measure.name) + source.suffix, Summarize(values), values.size()});
      }
    }
  }
  return rows;
}

std::string CellOf(const Column& column, size_t row) {
  if (column.IsNumeric()) return std::isnan(column.numbers[row]) ? "" : fmt::format("{:g}", column.numbers[row]);
  return column.codes[row] < 0 ? "" : column.categories[static_cast<size_t>(column.codes[row])];
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
    for (const Column& column : evaluated.table.columns) {
      cells.push_back(CellOf(column, attended.row));
    }
    rows.push_back(std::move(cells));
  }
  return rows;
}

Chart LearningCurves(const EvaluatedTable& evaluated) {
  Chart chart("Learning curves", {.title = "step"}, {.title = "loss"});
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    for (const std::vector<TrainingPoint>& curve : fold.curves) {
      std::vector<double> step, training, validation;
      for (const TrainingPoint& point : curve) {
        step.push_back(static_cast<double>(point.step));
        training.push_back(point.training_loss);
        validation.push_back(point.validation_loss);
      }
      chart.AddLine("training", step, training, LineMarkers::kNone);
      chart.AddLine("validation", step, validation, LineMarkers::kNone);
    }
  }
  return chart;
}

nlohmann::json MetricsJson(const TabularMetrics& metrics) {
  nlohmann::json json = {{"rows", metrics.rows}};
  if (metrics.accuracy) json["accuracy"] = *metrics.accuracy;
  if (metrics.recall) json["recall"] = *metrics.recall;
  if (metrics.f1) json["f1"] = *metrics.f1;
  if (metrics.auroc) json["auroc"] = *metrics.auroc;
  if (metrics.ece) json["calibration_error"] = *metrics.ece;
  if (metrics.nll) json["nll"] = *metrics.nll;
  if (metrics.rmse) json["rmse"] = *metrics.rmse;
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
    nlohmann::json item = {
        {"training_rows", fold.training_rows}, {"seconds", fold.seconds}, {"architecture", fold.architecture}};
    for (size_t t = 0; t < fold.targets.size(); ++t) {
      nlohmann::json& target = item["targets"][evaluated.options.choices.targets[t]];
      target = MetricsJson(fold.targets[t].metrics);
      target["linear"] = MetricsJson(fold.targets[t].linear);
      target["nearest_neighbors"] = MetricsJson(fold.targets[t].neighbors);
      target["no_features"] = MetricsJson(fold.targets[t].constant);
      if (fold.targets[t].intact) target["one_by_one"] = MetricsJson(*fold.targets[t].intact);
      if (fold.targets[t].corrupted) target["corrupted"] = MetricsJson(*fold.targets[t].corrupted);
    }
    json["folds"].push_back(std::move(item));
  }
  for (const SummaryRow& row : Summary(evaluated)) {
    json["summary"].push_back({{"target", evaluated.options.choices.targets[row.target]},
                               {"measure", row.measure},
                               {"mean", row.value.mean},
                               {"standard_error", row.value.standard_error}});
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
                 {"Networks in each", std::to_string(evaluated.training.members)},
                 {"Width and depth",
                  fmt::format("{} and {}", evaluated.training.network.width, evaluated.training.network.depth)}});
  PageTable summary{.headings = {"Target", "Measure", "Mean", "Standard error"}, .text_columns = 2};
  for (const SummaryRow& row : Summary(evaluated)) {
    summary.rows.push_back({evaluated.options.choices.targets[row.target], row.measure,
                            fmt::format("{:.5g}", row.value.mean), fmt::format("{:.3g}", row.value.standard_error)});
  }
  page.AddTable(summary);
  for (size_t t = 0; t < evaluated.options.choices.targets.size(); ++t) {
    AddTarget(page, *evaluated.table.Find(evaluated.options.choices.targets[t]), evaluated.evaluation.predictions[t]);
  }
  page.AddSection("Training");
  page.AddChart(LearningCurves(evaluated));
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
