#include "cli/tabular/tabular_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/options/text_table.h"
#include "cli/tabular/tabular_page_targets.h"
#include "haplospin/version.h"
#include "report/page.h"

namespace haplospin {
namespace {

constexpr size_t kExplainedRows = 15;
constexpr size_t kImportantColumns = 20;

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
  const char *suffix, *heading;
  std::optional<TabularMetrics> (*of)(const TargetResult&);
};
const Source kSources[] = {
    {"", "Model", [](const TargetResult& result) { return std::optional(result.metrics); }},
    {", linear fit", "Linear fit", [](const TargetResult& result) { return std::optional(result.linear); }},
    {", nearest neighbors", "Nearest neighbors",
     [](const TargetResult& result) { return std::optional(result.neighbors); }},
    {", no features", "No features", [](const TargetResult& result) { return std::optional(result.constant); }},
    {", one by one", "One by one", [](const TargetResult& result) { return result.intact; }},
    {", others corrupted", "Others corrupted", [](const TargetResult& result) { return result.corrupted; }},
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

// Mean over the folds, and its standard error, of each column that is no target.
struct ColumnRow {
  std::string column;
  MeanAndError value;
};

std::vector<ColumnRow> ImportanceOf(const EvaluatedTable& evaluated, size_t target) {
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

// The kinds of networks that the folds took, with those of all folds.
std::string NetworksText(const EvaluatedTable& evaluated) {
  std::map<std::string, size_t> networks;
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    if (!fold.curves.empty()) networks[fold.architecture] += fold.curves.size();
  }
  std::vector<std::string> texts;
  for (const auto& [architecture, number] : networks) texts.push_back(fmt::format("{} {}", number, architecture));
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

// "0.81 ± 0.02", of the folds that have the measure.
std::string MeasureText(const EvaluatedTable& evaluated, size_t target, const Source& source, const Measure& measure) {
  std::vector<double> values;
  for (const FoldResult& fold : evaluated.evaluation.folds) {
    const std::optional<TabularMetrics> metrics = source.of(fold.targets[target]);
    if (metrics && (*metrics).*measure.value) values.push_back(*((*metrics).*measure.value));
  }
  if (values.empty()) return "";
  const MeanAndError summary = Summarize(values);
  if (values.size() == 1) return fmt::format("{:.4g}", summary.mean);
  return fmt::format("{:.4g} ± {:.2g}", summary.mean, summary.standard_error);
}

// A row for each measure, a column for the model and for each of the predictions that it has to beat.
void AddMeasures(Page& page, const EvaluatedTable& evaluated, size_t target) {
  PageTable table{.headings = {"Measure"}};
  std::vector<const Source*> sources;
  for (const Source& source : kSources) {
    if (!source.of(evaluated.evaluation.folds.front().targets[target])) continue;
    sources.push_back(&source);
    table.headings.emplace_back(source.heading);
  }
  for (const Measure& measure : kMeasures) {
    std::vector<std::string> row = {measure.name};
    for (const Source* source : sources) row.push_back(MeasureText(evaluated, target, *source, measure));
    if (!row[1].empty()) table.rows.push_back(std::move(row));
  }
  page.AddTable(table);
  std::map<std::string, double> counts;
  const auto& folds = evaluated.evaluation.folds;
  for (const FoldResult& fold : folds) {
    for (const auto& [part, gain] : fold.targets[target].parts)
      counts[part] += gain / static_cast<double>(folds.size());
  }
  std::vector<std::string> texts;
  for (const auto& [part, gain] : folds.front().targets[target].parts) {
    texts.push_back(fmt::format("{} {:.2f}", part, counts[part]));
  }
  page.AddParagraph(
      fmt::format("How much each part counts beside the linear fit, from 0 to 1, mean over the folds: {}.",
                  fmt::join(texts, ", ")));
}

// The columns that matter most.
void AddImportance(Page& page, const EvaluatedTable& evaluated, size_t target) {
  std::vector<ColumnRow> rows = ImportanceOf(evaluated, target);
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
      for (const auto& [part, gain] : fold.targets[t].parts) target["parts"][part] = gain;
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
  for (size_t t = 0; t < evaluated.options.choices.targets.size(); ++t) {
    for (const ColumnRow& row : ImportanceOf(evaluated, t)) {
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
                 {"Trained networks", NetworksText(evaluated)}});
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
