#include "tabular/target_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kMinRows = 10;

}  // namespace

std::vector<size_t> LabeledRows(const Table& table, const std::vector<std::string>& targets) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.rows(); ++row) {
    const bool labeled = std::ranges::all_of(targets, [&](const std::string& name) {
      const Column& column = *table.Find(name);
      return column.IsNumeric() ? !std::isnan(column.numbers[row]) : column.codes[row] >= 0;
    });
    if (labeled) rows.push_back(row);
  }
  return rows;
}

void CheckTargets(const Table& table, const std::vector<std::string>& targets, const std::vector<size_t>& labeled) {
  for (const std::string& name : targets) {
    if (table.Find(name)->missing < table.rows()) continue;
    throw InputError(fmt::format("{}: target '{}' has no values; give another --target", table.path, name));
  }
  if (std::ssize(labeled) < kMinRows) {
    throw InputError(
        fmt::format("{}: {} rows with all targets; at least {} are needed", table.path, labeled.size(), kMinRows));
  }
  for (const std::string& name : targets) {
    const Column& column = *table.Find(name);
    const auto same = [&](size_t row) {
      return column.IsNumeric() ? column.numbers[row] == column.numbers[labeled[0]]
                                : column.codes[row] == column.codes[labeled[0]];
    };
    if (std::ranges::all_of(labeled, same)) {
      throw InputError(
          fmt::format("{}: target '{}' has the same value in every row; there is nothing to learn", table.path, name));
    }
  }
}

}  // namespace haplospin
