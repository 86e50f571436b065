#include "cli/learning/tabular/tabular_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/options/name_list.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr size_t kDescribedColumns = 30;
const std::string kFromPreset = "of the preset";

void DeclareTypes(CommandOptions& options, TableChoices& choices) {
  options.Add("categorical", "NAME", &choices.categorical, "categorical column, even if its values are numbers");
  options.Add("numeric", "NAME", &choices.numeric, "numeric column");
  options.Add("ignore", "NAME", &choices.ignore, "column to ignore");
}

void CheckClasses(const Table& table, const std::vector<std::string>& targets) {
  for (const std::string& name : targets) {
    const Column& column = *table.Find(name);
    std::vector<size_t> rows(column.categories.size()), last(column.categories.size());
    for (size_t row = 0; row < column.codes.size(); ++row) {
      if (column.codes[row] < 0) continue;
      ++rows[static_cast<size_t>(column.codes[row])];
      last[static_cast<size_t>(column.codes[row])] = row;
    }
    const auto single = std::ranges::find(rows, 1u);
    if (single == rows.end()) continue;
    const auto code = static_cast<size_t>(single - rows.begin());
    throw InputError(fmt::format(
        "{}: line {}: class '{}' of target '{}' has only this row, but needs at least two: remove it or merge it",
        table.path, table.lines[last[code]], column.categories[code], name));
  }
}

void Describe(const TypedTable& typed) {
  const Table& table = typed.table;
  LogInfo("{}: {} rows, {} columns", table.path, table.rows(), table.columns.size());
  const std::vector<std::string> lines = DescribeColumns(table);
  for (size_t i = 0; i < std::min(lines.size(), kDescribedColumns); ++i) LogInfo("  {}", lines[i]);
  if (lines.size() > kDescribedColumns) LogInfo("  and {} more", lines.size() - kDescribedColumns);
  for (const std::string& note : typed.notes) LogWarning("{}: {}", table.path, note);
}

}  // namespace

void CsvOptions::Declare(CommandOptions& options) {
  options.AddChoice("separator", &separator, {"auto", "comma", "semicolon", "tab"}, "field separator");
  options.AddFlag("no-header", &no_header, "there is no header; the columns are named 1, 2, ...");
  options.AddChoice("decimal", &decimal, {"auto", "point", "comma"},
                    "decimal mark; the other one may separate thousands. auto: the one that fits the values");
  options.Add("missing", "TOKEN", &missing,
              "another way in which a missing value is written (NA, null, ?, - and more are known)");
}

CsvFormat CsvOptions::Format() const {
  const char character = separator == "comma" ? ',' : separator == "semicolon" ? ';' : separator == "tab" ? '\t' : '\0';
  const char mark = decimal == "comma" ? ',' : decimal == "point" ? '.' : '\0';
  return {.separator = character, .header = !no_header, .values = {.missing = missing, .decimal = mark}};
}

void TabularOptions::DeclareInput(CommandOptions& options, const std::string& name) {
  options.Group("Input");
  options.Require("data", "FILE", &data, "table: CSV or TSV, gzipped or not; '-': standard input");
  options.Require("target,t", "NAME", &choices.targets, "column to predict");
  DeclareTypes(options, choices);
  options.Add("id", "NAME", &choices.id, "column that names the rows: not a feature; predict copies it to its output");
  csv.Declare(options);
  options.Group("Model");
  if (name == "tabular") {
    std::vector<std::string> models = {"auto", "gp"};
    for (const std::string& architecture : ArchitectureNames()) models.push_back(architecture);
    options.AddChoice("model", &model, models,
                      "auto: linear fit, boosted trees and Gaussian processes; gp: Gaussian processes alone; others: "
                      "linear fit, boosted trees and such networks");
  } else {
    model = name;
  }
  options.AddChoice("preset", &preset, TabularPresetNames(),
                    "size and training settings; auto: small up to 2,000 rows, otherwise base");
  options.Add("width", "N", &given_.network.width, "embedding width of each entry", {1, 1024});
  options.Add("depth", "N", &given_.network.depth, "layers, an even number", {2, 64});
  options.Add("heads", "N", &given_.network.heads, "attention heads or Hopfield networks, a divisor of the width",
              {1, 64});
  options.Add("inducing-points", "N", &given_.network.inducing_points, "of SPIN and Set Transformer", {1, 4096});
  options.Add("dropout", "SHARE", &given_.network.dropout, "of attention weights and hidden layers in training",
              {0, 0.9});
  options.Add("ensemble", "N", &given_.members, "networks of the ensemble; predictions are averaged", {1, 100});
  for (const char* name : {"width", "depth", "heads", "ensemble"}) options.ShowDefault(name, kFromPreset);
}

void TabularOptions::DeclareTraining(CommandOptions& options) {
  options.Group("Training");
  haplospin::DeclareTraining(options, given_, "largest learning rate");
  options.Add("feature-masking", "SHARE", &given_.feature_masking,
              "fraction of the features that is masked and predicted as well", {0, 0.95});
  options.Add("validation-share", "SHARE", &given_.validation_share, "fraction of the rows for early stopping",
              {0.01, 0.5});
  options.Add("batch-rows", "N", &given_.batch_rows, "maximum number of rows per step", {2, 10000000});
  options.Add("context-rows", "N", &given_.context_rows, "maximum number of rows that a prediction is made from",
              {2, 100000000});
  for (const char* name : {"steps", "learning-rate", "weight-decay", "validation-steps", "patience", "feature-masking",
                           "batch-rows", "context-rows"}) {
    options.ShowDefault(name, kFromPreset);
  }
}

void TabularOptions::DeclareOutput(CommandOptions& options, const std::string& out_help) {
  options.Group("Output");
  DeclareTrainingOutput(options, given_, out_help);
}

Table TabularOptions::Read(const std::vector<std::string>& marks) const {
  TableChoices all = choices;
  for (const std::string& name : marks) {
    if (!name.empty()) all.marks.push_back(name);
  }
  TypedTable typed = ReadTable(data, csv.Format(), all);
  Describe(typed);
  CheckClasses(typed.table, choices.targets);
  return std::move(typed.table);
}

Column TakeColumn(Table& table, const std::string& name, const std::string& option) {
  const auto column = std::ranges::find(table.columns, name, &Column::name);
  if (column == table.columns.end()) {
    throw InputError(fmt::format("{}: no column '{}' for {}", table.path, name, option));
  }
  Column taken = std::move(*column);
  table.columns.erase(column);
  return taken;
}

std::vector<size_t> MarkedRows(const Table& table, const Column& column, const std::string& option) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (!column.IsNumeric() || (column.numbers[row] != 0.0 && column.numbers[row] != 1.0)) {
      throw InputError(fmt::format("{}: line {}: column '{}' of {} must be 0 or 1 in every row", table.path,
                                   table.lines[row], column.name, option));
    }
    if (column.numbers[row] == 1.0) rows.push_back(row);
  }
  return rows;
}

std::string CommandName(const Arguments& arguments) { return arguments.at(0) + " " + arguments.at(1); }

void DirectPrediction::Declare(CommandOptions& options) {
  options.Add("target,t", "NAME", &choices.targets, "column to predict");
  DeclareTypes(options, choices);
  options.Add("quantiles", "LIST", &quantiles,
              "for a numeric target: quantiles to add to the output, such as 0.05,0.5,0.95");
  options.AddSeed(&seed);
}

void DirectPrediction::Check(const std::string& model, const std::string& context) const {
  if (!model.empty()) {
    if (choices.targets.empty() && quantiles.empty()) return;
    throw InputError("--target and --quantiles are for predictions without a model; omit them or --weights");
  }
  if (!context.empty() && !choices.targets.empty()) return;
  throw InputError("give --weights with a model file of train, or --context and --target to predict without one");
}

std::vector<double> DirectPrediction::Quantiles() const {
  std::vector<double> parsed;
  for (const std::string& text : SplitLists(quantiles)) {
    const std::optional<double> quantile = ParseNumber<double>(text);
    if (!quantile || !(*quantile > 0 && *quantile < 1)) {
      throw InputError(fmt::format("--quantiles: '{}' is not a number between 0 and 1", text));
    }
    parsed.push_back(*quantile);
  }
  return parsed;
}

}  // namespace haplospin
