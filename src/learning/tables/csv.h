// Reads CSV and TSV files row by row, and formats their lines.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "learning/tables/values.h"

namespace haplospin {

struct CsvFormat {
  char separator = 0;  // 0: a tab where the first line has one, else the more frequent of comma and semicolon
  bool header = true;  // the first line holds the names of the columns; else they are "1", "2", ...
  ValueFormat values = {};
};

// Reads plain and gzipped files, and standard input as "-". Fields may be quoted as in RFC 4180; blanks around unquoted
// fields are removed, and empty lines are skipped, but for those between the rows of a single column, which are missing
// values. Throws InputError, naming file and line, if the file cannot be read,
// is not text, ends inside quotes or compressed data, or if a row has more or fewer fields than the first.
class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvFormat& format);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  const std::string& path() const;

  // Unique names; a column without a name in the header is named by its number. Empty if the file is empty.
  const std::vector<std::string>& names() const;

  char separator() const;  // of the fields

  // The fields of the next row; false at the end.
  bool Next(std::vector<std::string>& fields);

  // The line, from 1, on which the last row returned by Next() begins.
  size_t line() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// A line with its line feed; fields are quoted as in RFC 4180 if needed.
std::string CsvLine(const std::vector<std::string>& fields, char separator = ',');

}  // namespace haplospin
