// A table of numbers and categories, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "learning/tables/values.h"

namespace haplospin {

enum class ColumnKind { kNumeric, kCategorical };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<double> numbers;          // kNumeric: one for each row, NaN where missing
  std::vector<int32_t> codes;           // kCategorical: index into categories, -1 where missing
  std::vector<std::string> categories;  // kCategorical: in ascending order, of numbers where all are numbers
  size_t missing = 0;                   // rows without a value
  DateOrder date =
      DateOrder::kNone;             // kNumeric: numbers are days since 1970-01-01 or of a day, from dates of that order
  std::vector<std::string> tokens;  // kNumeric: text that stands for a missing value in this column

  bool IsNumeric() const { return kind == ColumnKind::kNumeric; }
  bool HasValue(size_t row) const;

  // The value of a row for a person; "" where it is missing.
  std::string Text(size_t row) const;
};

struct Table {
  std::string path;  // the file that it was read from, for messages
  std::vector<Column> columns;
  std::vector<size_t> lines;     // [rows] line numbers in the file
  std::string id;                // name of the column that identifies the rows; empty: there is none
  std::vector<std::string> ids;  // [rows] values of the column `id`
  ValueFormat format;            // format in which the values were written

  size_t rows() const { return lines.size(); }
  const Column* Find(std::string_view name) const;  // null where there is none
};

// The rows of `table` at `rows`, in that order. All categories are kept, including those that no row has.
Table SelectRows(const Table& table, const std::vector<size_t>& rows);

}  // namespace haplospin
