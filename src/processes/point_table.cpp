#include "processes/point_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "tables/csv.h"
#include "tables/values.h"

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

enum class ValueKind { kUnknown, kNumber, kDate };

bool ParseAnyDate(const std::string& field, double& days) {
  return ParseDate(field, DateOrder::kYearFirst, days) ||
         (field.find('.') != std::string::npos && ParseDate(field, DateOrder::kDayFirst, days));
}

// The values of some columns of each row. The first value of a column of x says whether it holds numbers or dates.
class PointReader {
 public:
  PointReader(const CsvReader& reader, std::vector<size_t> fields, bool may_be_dates)
      : reader_(reader),
        fields_(std::move(fields)),
        kinds_(fields_.size(), may_be_dates ? ValueKind::kUnknown : ValueKind::kNumber) {}

  // Appends the row's values; false where one is missing.
  bool Append(const std::vector<std::string>& row, std::vector<double>& values) {
    for (size_t c = 0; c < fields_.size(); ++c) {
      const std::string& field = row[fields_[c]];
      if (IsMissing(field)) return false;
      double value = 0;
      if (kinds_[c] == ValueKind::kUnknown)
        kinds_[c] = ParseAnyDate(field, value) ? ValueKind::kDate : ValueKind::kNumber;
      const bool is_date = kinds_[c] == ValueKind::kDate;
      if (!(is_date ? ParseAnyDate(field, value) : ParseNumber(field, value))) {
        throw InputError(fmt::format(
            "{}: line {}: '{}' in column '{}' is not a {}; x must be numbers or dates such as "
            "2021-03-31, y must be numbers",
            reader_.path(), reader_.line(), field, reader_.names()[fields_[c]], is_date ? "date" : "number"));
      }
      values.push_back(value);
    }
    return true;
  }

  std::vector<bool> AreDates() const {
    std::vector<bool> dates;
    for (const ValueKind kind : kinds_) dates.push_back(kind == ValueKind::kDate);
    return dates;
  }

 private:
  const CsvReader& reader_;
  const std::vector<size_t> fields_;
  std::vector<ValueKind> kinds_;
};

}  // namespace

PointTable ReadPoints(const std::string& path, const PointColumns& columns, bool may_be_empty) {
  CsvReader reader(path, {});
  PointTable table{.path = path, .dx = columns.x.size(), .dy = columns.y.size()};
  PointReader x_reader(reader, FieldsOf(reader, columns.x), true), y_reader(reader, FieldsOf(reader, columns.y), false);
  const bool grouped = !columns.group.empty();
  const size_t group_field = grouped ? FieldOf(reader, columns.group) : 0;
  std::unordered_map<std::string, size_t> index_of_group;
  std::vector<std::string> row;
  while (reader.Next(row)) {
    std::vector<double> x, y;
    const std::string group = grouped ? row[group_field] : "";
    if (!x_reader.Append(row, x) || !y_reader.Append(row, y) || (grouped && IsMissing(group))) {
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
  table.dates = x_reader.AreDates();
  if (table.num_rows() == 0 && !may_be_empty) {
    throw InputError(fmt::format("{}: no row has values in all of the columns {}", path, fmt::join(columns.x, ", ")));
  }
  return table;
}

}  // namespace haplospin
