// A table of numbers and categories, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haplospin {

enum class ColumnKind { kNumeric, kCategorical };

struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<double> numbers;          // kNumeric: one for each row, NaN where missing
  std::vector<int32_t> codes;           // kCategorical: index into categories, -1 where missing
  std::vector<std::string> categories;  // kCategorical: in ascending order, of numbers where all are numbers
  size_t missing = 0;                   // rows without a value

  bool IsNumeric() const { return kind == ColumnKind::kNumeric; }
};

struct Table {
  std::string path;  // where it was read from, for messages
  std::vector<Column> columns;
  std::vector<size_t> lines;  // of the file, one for each row

  size_t rows() const { return lines.size(); }
  const Column* Find(std::string_view name) const;  // null where there is none
};

// Missing values: "", "?", ".", "NA", "N/A", "NaN", "nan".
bool IsMissing(std::string_view field);

// Parses a finite decimal number; false for anything else.
bool ParseNumber(std::string_view field, double& number);

// The rows of `table` at `rows`, in that order. All categories are kept, including those that no row has.
Table SelectRows(const Table& table, const std::vector<size_t>& rows);

}  // namespace haplospin
