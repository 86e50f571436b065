#include "tables/table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parse_number.h"

namespace haplospin {

const Column* Table::Find(std::string_view name) const {
  const auto column = std::ranges::find(columns, name, &Column::name);
  return column == columns.end() ? nullptr : &*column;
}

bool IsMissing(std::string_view field) {
  constexpr std::array<std::string_view, 7> kMissing = {"", "?", ".", "NA", "N/A", "NaN", "nan"};
  return std::ranges::find(kMissing, field) != kMissing.end();
}

bool ParseNumber(std::string_view field, double& number) {
  if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.remove_prefix(1);
  const auto parsed = ParseNumber<double>(field);
  if (!parsed || !std::isfinite(*parsed)) return false;
  number = *parsed;
  return true;
}

Table SelectRows(const Table& table, const std::vector<size_t>& rows) {
  Table selected{.path = table.path};
  for (const size_t row : rows) selected.lines.push_back(table.lines[row]);
  for (const Column& column : table.columns) {
    Column part{.name = column.name, .kind = column.kind, .categories = column.categories};
    for (const size_t row : rows) {
      if (column.IsNumeric()) {
        part.numbers.push_back(column.numbers[row]);
        part.missing += std::isnan(column.numbers[row]) ? 1 : 0;
      } else {
        part.codes.push_back(column.codes[row]);
        part.missing += column.codes[row] < 0 ? 1 : 0;
      }
    }
    selected.columns.push_back(std::move(part));
  }
  return selected;
}

}  // namespace haplospin
