#include "learning/tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haplospin {

bool Column::HasValue(size_t row) const { return IsNumeric() ? !std::isnan(numbers[row]) : codes[row] >= 0; }

std::string Column::Text(size_t row) const {
  if (!HasValue(row)) return "";
  return IsNumeric() ? fmt::format("{:g}", numbers[row]) : categories[static_cast<size_t>(codes[row])];
}

const Column* Table::Find(std::string_view name) const {
  const auto column = std::ranges::find(columns, name, &Column::name);
  return column == columns.end() ? nullptr : &*column;
}

Table SelectRows(const Table& table, const std::vector<size_t>& rows) {
  Table selected{.path = table.path, .id = table.id, .format = table.format};
  for (const size_t row : rows) {
    selected.lines.push_back(table.lines[row]);
    if (!table.ids.empty()) selected.ids.push_back(table.ids[row]);
  }
  for (const Column& column : table.columns) {
    Column part{.name = column.name,
                .kind = column.kind,
                .categories = column.categories,
                .date = column.date,
                .tokens = column.tokens};
    for (const size_t row : rows) {
      column.IsNumeric() ? part.numbers.push_back(column.numbers[row]) : part.codes.push_back(column.codes[row]);
      part.missing += column.HasValue(row) ? 0 : 1;
    }
    selected.columns.push_back(std::move(part));
  }
  return selected;
}

}  // namespace haplospin
