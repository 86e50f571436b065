// The table that the options of a command describe, and what the options contradict.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/learning/tabular/tabular_options.h"
#include "cli/options/name_list.h"
#include "core/log.h"
#include "core/parse_number.h"
#include "haplospin/errors.h"
#include "learning/tables/determining_columns.h"

namespace haplospin {
namespace {

constexpr size_t kDescribedColumns = 30;

void WarnAboutSingleRows(const Table& table, const std::vector<std::string>& targets) {
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
    LogWarning("{}: line {}: class '{}' of target '{}' has only this row, so that it is learned from but not tested",
               table.path, table.lines[last[code]], column.categories[code], name);
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

void WarnAboutDeterminingColumns(const Table& table, const std::vector<std::string>& targets) {
  for (const std::string& target : targets) {
    for (const std::string& name : DeterminingColumns(table, target)) {
      LogWarning(
          "{}: column '{}' tells the target '{}' in every row; if it is another form of it, or known only after "
          "it, give --ignore {}",
          table.path, name, target, name);
    }
  }
}

CsvFormat CsvOptions::Format() const {
  const char character = separator == "comma" ? ',' : separator == "semicolon" ? ';' : separator == "tab" ? '\t' : '\0';
  const char mark = decimal == "comma" ? ',' : decimal == "point" ? '.' : '\0';
  return {.separator = character, .header = !no_header, .values = {.missing = missing, .decimal = mark}};
}

Table TabularOptions::Read(const std::vector<std::string>& marks) const {
  TableChoices all = choices;
  for (const std::string& name : marks) {
    if (!name.empty()) all.marks.push_back(name);
  }
  TypedTable typed = ReadTable(data, csv.Format(), all);
  Describe(typed);
  WarnAboutSingleRows(typed.table, choices.targets);
  WarnAboutDeterminingColumns(typed.table, choices.targets);
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

void DirectPrediction::Check(const std::string& model, const std::string& context) const {
  if (!model.empty()) {
    const auto refuse = [](const std::vector<std::string>& names, const char* option) {
      if (names.empty()) return;
      throw InputError(fmt::format("{} is for predictions without a model; omit it or --weights", option));
    };
    refuse(choices.targets, "--target");
    refuse(choices.categorical, "--categorical");
    refuse(choices.numeric, "--numeric");
    refuse(choices.ignore, "--ignore");
    return;
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
