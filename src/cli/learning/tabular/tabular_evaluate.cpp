// haplospin tabular evaluate: cross-validation.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/learning/tabular/tabular_options.h"
#include "cli/learning/tabular/tabular_page.h"
#include "cli/options/command_options.h"
#include "cli/options/output.h"
#include "core/log.h"
#include "core/output_file.h"
#include "core/progress.h"
#include "core/provenance.h"
#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/tabular/splits.h"

namespace haplospin {
namespace {

// A column that defines folds is no column to predict or to ignore.
void CheckMarks(const std::vector<std::string>& marks, const TableChoices& choices) {
  for (const std::string& mark : marks) {
    if (mark.empty()) continue;
    const bool is_target = std::ranges::find(choices.targets, mark) != choices.targets.end();
    if (!is_target && std::ranges::find(choices.ignore, mark) == choices.ignore.end()) continue;
    throw InputError(fmt::format("column '{}' defines folds, and is given to --{}, too; give it to one of them", mark,
                                 is_target ? "target" : "ignore"));
  }
}

// The test rows of each fold. Removes the columns that define the folds from the table.
std::vector<std::vector<size_t>> MakeFolds(Table& table, const FoldOptions& options, const std::string& target,
                                           uint64_t seed) {
  std::vector<std::vector<size_t>> folds;
  if (!options.fold_column.empty()) {
    const Column column = TakeColumn(table, options.fold_column, "--fold-column");
    std::map<std::string, std::vector<size_t>> by_name;
    for (size_t row = 0; row < table.rows(); ++row) by_name[column.Text(row)].push_back(row);
    for (auto& [name, rows] : by_name) folds.push_back(std::move(rows));
    if (folds.size() < 2) throw InputError(fmt::format("--fold-column {}: one fold only", options.fold_column));
    return folds;
  }
  for (const std::string& name : options.test_columns) {
    const Column column = TakeColumn(table, name, "--test-column");
    folds.push_back(MarkedRows(table, column, "--test-column"));
  }
  if (!folds.empty()) return folds;
  if (static_cast<size_t>(options.folds) > table.rows()) {
    throw InputError(
        fmt::format("--folds {}: {} has {} rows; give at most as many folds", options.folds, table.path, table.rows()));
  }
  RandomStream random(seed, {5});
  const std::vector<size_t> row_parts =
      StratifiedParts(Strata(*table.Find(target)), static_cast<size_t>(options.folds), random);
  folds.resize(static_cast<size_t>(options.folds));
  for (size_t row = 0; row < row_parts.size(); ++row) folds[row_parts[row]].push_back(row);
  return folds;
}

std::optional<size_t> ExplainedRow(const Table& table, const CrossValidationOptions& evaluation, int64_t line) {
  if (line == 0) return std::nullopt;
  const auto found = std::ranges::find(table.lines, static_cast<size_t>(line));
  if (found == table.lines.end()) {
    throw InputError(fmt::format("--explain {}: no row of {} begins on this line", line, table.path));
  }
  const auto row = static_cast<size_t>(found - table.lines.begin());
  const bool tested = std::ranges::any_of(
      evaluation.folds, [&](const std::vector<size_t>& rows) { return std::ranges::find(rows, row) != rows.end(); });
  if (!tested) throw InputError(fmt::format("--explain {}: this row is in the test part of no fold", line));
  return row;
}

// The folds together, where the model is no better than a simpler prediction.
void WarnAboutBaselines(const std::vector<std::string>& targets, const CrossValidation& result) {
  for (size_t t = 0; t < targets.size(); ++t) {
    const std::string warning = CompareMetrics(result, t).Warning();
    if (!warning.empty()) LogWarning("{}: {}", targets[t], warning);
  }
}

void WriteAndLog(OptionalOutput& file, const std::string& path, const std::string& text) {
  file.Write(text);
  if (file.IsWanted()) LogInfo("{}: written", path);
}

}  // namespace

void RunTabularEvaluate(const TabularEvaluateArguments& a, const CommandOptions& options,
                        const Arguments& command_line) {
  if (!a.folds.fold_column.empty() && !a.folds.test_columns.empty()) {
    throw InputError("--fold-column and --test-column both define the folds; give one of them");
  }
  const torch::Device device = ParseDevice(a.tabular.common().device);
  CheckDistinctOutputs(CommandName(command_line), "--json and --html", {a.json, a.html});
  OptionalOutput json_file(a.json), html_file(a.html);

  std::vector<std::string> marks = a.folds.test_columns;
  marks.push_back(a.folds.fold_column);
  CheckMarks(marks, a.tabular.choices);
  Table table = a.tabular.Read(marks);
  CrossValidationOptions evaluation;
  SetThreadsFor(table);
  evaluation.targets = a.tabular.choices.targets;
  evaluation.measures_columns = json_file.IsWanted() || html_file.IsWanted();
  evaluation.folds =
      MakeFolds(table, a.folds, a.tabular.choices.targets.front(), static_cast<uint64_t>(a.tabular.seed()));
  evaluation.training = a.tabular.Training(options, table);
  if (a.explain > 0 && !a.tabular.TrainsNetworks()) {
    throw InputError(
        "--explain shows the attention of networks, but --model auto and gp train none; give --model npt, hopular, "
        "spin "
        "or set-transformer");
  }
  evaluation.explained_row = ExplainedRow(table, evaluation, a.explain);
  Progress progress("evaluating", "%", 100);
  const CrossValidation result = CrossValidate(table, evaluation, device, [&](double share, const std::string& note) {
    progress.Set(100 * share);
    progress.SetNote(note);
  });
  progress.Finish();
  const EvaluatedTable evaluated{a.tabular, evaluation.training, table, result};
  std::string text = EvaluationText(evaluated);
  if (!result.explanation.empty())
    text += fmt::format("\nline {} attends to\n{}", a.explain, ExplanationText(evaluated));
  PrintOutput(text);
  WarnAboutBaselines(a.tabular.choices.targets, result);
  WriteAndLog(json_file, a.json, EvaluationJson(evaluated));
  WriteAndLog(html_file, a.html, EvaluationPage(evaluated, MakeProvenance(command_line)));
}

}  // namespace haplospin
