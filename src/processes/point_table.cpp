#include "processes/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "haplospin/errors.h"
#include "tables/csv_reader.h"
#include "tables/table.h"

namespace haplospin {
namespace {

size_t FieldOf(const CsvReader& reader, const std::string& name) {
  const auto& names = reader.names();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    throw InputError(
        fmt::format("{}: no column '{}'; its columns are {}", reader.path(), name, fmt::join(names, ", ")));
  }
  return static_cast<size_t>(found - names.begin());
}

std::vector<size_t> FieldsOf(const CsvReader& reader, const std::vector<std::string>& names) {
  std::vector<size_t> fields;
  for (const std::string& name : names) fields.push_back(FieldOf(reader, name));
  return fields;
}

// Appends the row's values; false where one is missing.
bool AppendNumbers(const CsvReader& reader, const std::vector<std::string>& row, const std::vector<size_t>& fields,
                   std::vector<double>& values) {
  for (const size_t field : fields) {
    if (IsMissing(row[field])) return false;
    double number = 0;
    if (!ParseNumber(row[field], number)) {
      throw InputError(fmt::format(
          "{}: line {}: '{}' in column '{}' is not a number; x and y must be numbers (for example, a date in days)",
          reader.path(), reader.line(), row[field], reader.names()[field]));
    }
    values.push_back(number);
  }
  return true;
}

}  // namespace

PointTable ReadPoints(const std::string& path, const PointColumns& columns, bool may_be_empty) {
  CsvReader reader(path, {});
  PointTable table{.path = path, .dx = columns.x.size(), .dy = columns.y.size()};
  const auto x_fields = FieldsOf(reader, columns.x), y_fields = FieldsOf(reader, columns.y);
  const bool grouped = !columns.group.empty();
  const size_t group_field = grouped ? FieldOf(reader, columns.group) : 0;
  std::unordered_map<std::string, size_t> index_of_group;
  std::vector<std::string> row;
  while (reader.Next(row)) {
    std::vector<double> x, y;
    const std::string group = grouped ? row[group_field] : "";
    if (!AppendNumbers(reader, row, x_fields, x) || !AppendNumbers(reader, row, y_fields, y) ||
        (grouped && IsMissing(group))) {
      ++table.left_out;
      continue;
    }
    const auto [at, is_new] = index_of_group.emplace(group, table.groups.size());
    if (is_new) {
      table.groups.push_back(group);
      table.rows.emplace_back();
    }
    table.rows[at->second].push_back(table.num_rows());
    table.x.insert(table.x.end(), x.begin(), x.end());
    table.y.insert(table.y.end(), y.begin(), y.end());
  }
  if (table.num_rows() == 0 && !may_be_empty) {
    throw InputError(fmt::format("{}: no row has values in all of the columns {}", path, fmt::join(columns.x, ", ")));
  }
  return table;
}

}  // namespace haplospin
