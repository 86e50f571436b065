// Tables from CSV files: with column types that are inferred, or that are those of a known table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learning/tables/category_codes.h"
#include "learning/tables/csv.h"
#include "learning/tables/table.h"

namespace haplospin {

// Columns by name. A column may be in one of the first three.
struct TableChoices {
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::vector<std::string> ignore;
  std::vector<std::string> targets;  // never dropped; whole numbers of few values are classes
  std::vector<std::string> marks;    // never dropped: they say which rows are for what
  std::string id;                    // identifiers of the rows; no column of the table. Empty: none
};

struct TypedTable {
  Table table;                     // lacks the columns that were dropped
  std::vector<std::string> notes;  // sentences: what was dropped, read as missing or may be misread, and why
};

// Reads a whole file. A column is numeric where every value is a number, or all but a few: at most 1 in 20 of the
// values, or fewer than half, which are at most 5 different texts or 20 words without a digit, in a column of at least
// 10 different numbers. These are then missing, with a note. A column of dates is numeric too, in days. Others are
// categorical. There are exceptions:
// - targets of whole numbers with at most 20 values, each of ten rows or more on average (or with at most 2 values):
//   classes;
// - columns without any value, or with the same value in every row, and text of which more than half of at least 20
//   values are different (names, identifiers), and columns that number at least 20 rows (NumbersRows()): dropped.
// Classes that are numbers are equal where their numbers are: 1 and 1.0 are one class.
// Rows that are copies of others are left out, with a note (RowsWithoutCopies()).
// The decimal mark, if format.values has none, is the one that more fields need; where none needs one but 5,983 may
// have one, a comma in a file separated by semicolons, and a point in others, with a note. Throws InputError as
// CsvReader does; where a choice names no column or two choices name the same; and where a choice says that a column is
// numeric whose values are not numbers.
TypedTable ReadTable(const std::string& path, const CsvFormat& format, const TableChoices& choices);

// A line for each column: name, kind, number of categories or range, missing values.
std::vector<std::string> DescribeColumns(const Table& table);

// The expected type of a column; fields as in Column.
struct ColumnSchema {
  std::string name;
  ColumnKind kind = ColumnKind::kNumeric;
  std::vector<std::string> categories;
  bool required = true;  // false: it may be missing from the file, and all its values are then missing
  DateOrder date = DateOrder::kNone;
  std::vector<std::string> tokens{};
};

// Reads a file in blocks of rows, with known columns, in their order. Other columns of the file are ignored.
class TableStream {
 public:
  // `id` as in TableChoices; it may be missing from the file. Throws InputError where required columns are missing from
  // the file, naming all of them.
  TableStream(const std::string& path, const CsvFormat& format, std::vector<ColumnSchema> schema, std::string id = "");

  // Reads at most max_rows rows; no rows at the end. Throws InputError, naming line and column, if a numeric column has
  // something other than a number.
  Table Next(size_t max_rows);

  bool has_ids() const { return id_field_ >= 0; }
  const std::vector<std::string>& ignored_columns() const { return ignored_; }

  // The number of values so far that are not among the categories of a column and were read as missing, for each
  // column.
  const std::vector<size_t>& unknown_values() const { return unknown_; }

  // The number of values so far that were read as missing because they are not finite, or too large
  // (IsBeyondNumbers()), for each column.
  const std::vector<size_t>& infinite_values() const { return infinite_; }

 private:
  void Append(const std::string& field, size_t i, Column& column);
  double NumberOf(const std::string& field, size_t i);

  CsvReader reader_;
  const ValueFormat values_;
  const std::string id_;
  std::vector<ColumnSchema> schema_;
  std::vector<CategoryCodes> codes_;           // [columns]
  std::ptrdiff_t id_field_ = -1;               // -1: none
  std::vector<std::ptrdiff_t> column_fields_;  // -1: absent
  std::vector<std::string> ignored_;
  std::vector<size_t> unknown_, infinite_;
};

}  // namespace haplospin
