// The points of tasks in a CSV or TSV file: x columns, y columns, and a column with the task of each row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace haplospin {

struct PointColumns {
  std::vector<std::string> x, y;  // names; y may be empty for targets
  std::string group;              // empty: all rows are one task
};

struct PointTable {
  std::string path;
  size_t dx = 0, dy = 0;
  std::vector<double> x, y;               // [rows, dx], [rows, dy]
  std::vector<std::string> groups;        // names by order of first row; one "" without a group column
  std::vector<std::vector<size_t>> rows;  // indices of each group's rows
  size_t left_out = 0;                    // rows with a missing value in x, y or group
  std::vector<bool> dates;                // x columns that were dates, now days since 1970-01-01

  size_t num_rows() const { return dx == 0 ? 0 : x.size() / dx; }
};

// An x column may hold dates, year first or with points (2021-03-31, 31.3.2021), also with a time. Throws InputError,
// naming file, line and column, if a column is missing, a value is not a number or a date, or no row is left.
// `may_be_empty` allows the latter, for an empty context.
PointTable ReadPoints(const std::string& path, const PointColumns& columns, bool may_be_empty = false);

}  // namespace haplospin
