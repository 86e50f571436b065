#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "tables/table_reader.h"

namespace haplospin {
namespace {

std::ptrdiff_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : found - names.begin();
}

using Codes = std::unordered_map<std::string_view, int32_t>;

Codes CodesOf(const std::vector<std::string>& categories) {
  Codes codes;
  for (size_t i = 0; i < categories.size(); ++i) codes.emplace(categories[i], static_cast<int32_t>(i));
  return codes;
}

}  // namespace

TableStream::TableStream(const std::string& path, const CsvFormat& format, std::vector<ColumnSchema> schema)
    : reader_(path, format), schema_(std::move(schema)), unknown_(schema_.size()) {
  if (reader_.names().empty()) throw InputError(path + ": empty; expected a table with a header");
  std::vector<std::string> wanted;
  for (const ColumnSchema& column : schema_) {
    field_of_column_.push_back(IndexOf(reader_.names(), column.name));
    if (field_of_column_.back() >= 0) continue;
    (column.required ? wanted : absent_).push_back(column.name);
  }
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: required columns are missing: {}", path, fmt::join(wanted, ", ")));
  }
  for (size_t i = 0; i < reader_.names().size(); ++i) {
    if (std::ranges::find(field_of_column_, static_cast<std::ptrdiff_t>(i)) == field_of_column_.end()) {
      ignored_.push_back(reader_.names()[i]);
    }
  }
}

Table TableStream::Next(size_t max_rows) {
  Table table{.path = reader_.path()};
  std::vector<Codes> codes;
  for (const ColumnSchema& column : schema_) {
    table.columns.push_back({.name = column.name, .kind = column.kind, .categories = column.categories});
    codes.push_back(CodesOf(column.categories));
  }
  std::vector<std::string> fields;
  while (table.rows() < max_rows && reader_.Next(fields)) {
    table.lines.push_back(reader_.line());
    for (size_t i = 0; i < schema_.size(); ++i) {
      Column& column = table.columns[i];
      const std::string field = field_of_column_[i] < 0 ? "" : fields[static_cast<size_t>(field_of_column_[i])];
      bool missing = IsMissing(field);
      if (column.IsNumeric()) {
        double number = std::numeric_limits<double>::quiet_NaN();
        if (!missing && !ParseNumber(field, number)) {
          throw InputError(
              fmt::format("{}: line {}: column '{}': expected a number, but found '{}'; correct it, or leave it empty",
                          reader_.path(), reader_.line(), column.name, field));
        }
        column.numbers.push_back(number);
      } else {
        const auto code = missing ? codes[i].end() : codes[i].find(field);
        if (!missing && code == codes[i].end()) {
          ++unknown_[i];
          missing = true;
        }
        column.codes.push_back(missing ? -1 : code->second);
      }
      column.missing += missing ? 1 : 0;
    }
  }
  return table;
}

}  // namespace haplospin
