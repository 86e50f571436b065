#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "haplospin/errors.h"
#include "tables/column_facts.h"
#include "tables/table_reader.h"

namespace haplospin {
namespace {

std::ptrdiff_t IndexOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? -1 : found - names.begin();
}

std::unordered_map<std::string, int32_t> CodesOf(const std::vector<std::string>& categories) {
  std::unordered_map<std::string, int32_t> codes;
  for (size_t i = 0; i < categories.size(); ++i) codes.emplace(categories[i], static_cast<int32_t>(i));
  return codes;
}

}  // namespace

TableStream::TableStream(const std::string& path, const CsvFormat& format, std::vector<ColumnSchema> schema,
                         std::string id)
    : reader_(path, format),
      values_(format.values),
      id_(std::move(id)),
      schema_(std::move(schema)),
      unknown_(schema_.size()) {
  if (reader_.names().empty()) throw InputError(path + ": empty; expected a table with a header");
  std::vector<std::string> wanted;
  if (!id_.empty()) id_field_ = IndexOf(reader_.names(), id_);
  for (const ColumnSchema& column : schema_) {
    codes_.push_back(CodesOf(column.categories));
    field_of_column_.push_back(IndexOf(reader_.names(), column.name));
    if (field_of_column_.back() < 0 && column.required) wanted.push_back(column.name);
  }
  if (!wanted.empty()) {
    throw InputError(fmt::format("{}: required columns are missing: {}", path, fmt::join(wanted, ", ")));
  }
  for (size_t i = 0; i < reader_.names().size(); ++i) {
    const auto field = static_cast<std::ptrdiff_t>(i);
    if (field != id_field_ && std::ranges::find(field_of_column_, field) == field_of_column_.end()) {
      ignored_.push_back(reader_.names()[i]);
    }
  }
}

Table TableStream::Next(size_t max_rows) {
  Table table{.path = reader_.path(), .id = has_ids() ? id_ : "", .format = values_};
  for (const ColumnSchema& column : schema_) {
    table.columns.push_back({.name = column.name,
                             .kind = column.kind,
                             .categories = column.categories,
                             .date = column.date,
                             .tokens = column.tokens});
  }
  std::vector<std::string> fields;
  while (table.rows() < max_rows && reader_.Next(fields)) {
    table.lines.push_back(reader_.line());
    if (has_ids()) table.ids.push_back(fields[static_cast<size_t>(id_field_)]);
    for (size_t i = 0; i < schema_.size(); ++i) {
      const std::ptrdiff_t field = field_of_column_[i];
      Append(field < 0 ? "" : fields[static_cast<size_t>(field)], i, table.columns[i]);
    }
  }
  return table;
}

void TableStream::Append(const std::string& field, size_t i, Column& column) {
  bool missing = IsMissing(field, values_) || std::ranges::find(column.tokens, field) != column.tokens.end();
  if (column.IsNumeric()) {
    double number = std::numeric_limits<double>::quiet_NaN();
    if (!missing && !ParseValue(field, values_, column.date, number)) {
      throw InputError(
          fmt::format("{}: line {}: column '{}': expected a {}, but found '{}'; correct it, or leave it empty",
                      reader_.path(), reader_.line(), column.name,
                      column.date == DateOrder::kNone ? "number" : "date as in the training table", field));
    }
    column.numbers.push_back(number);
  } else {
    const auto code = missing ? codes_[i].end() : codes_[i].find(field);
    if (!missing && code == codes_[i].end()) {
      ++unknown_[i];
      missing = true;
    }
    column.codes.push_back(missing ? -1 : code->second);
  }
  column.missing += missing ? 1 : 0;
}

}  // namespace haplospin
