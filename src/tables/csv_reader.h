// Rows of a CSV or TSV file, one after the other.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace haplospin {

struct CsvFormat {
  char separator = 0;  // 0: a tab where the first line has one, else the more frequent of comma and semicolon
  bool header = true;  // the first line holds the names of the columns; else they are "1", "2", ...
};

// Reads plain and gzipped files, and standard input as "-". Fields may be quoted as RFC 4180 has it; blanks around
// fields without quotes are dropped, and so are empty lines. Throws InputError, naming file and line, where the file
// cannot be read, is no text, ends inside quotes or compressed data, or where a row has more or fewer fields than the
// first.
class CsvReader {
 public:
  CsvReader(const std::string& path, const CsvFormat& format);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  const std::string& path() const;

  // Unique; a column without a name in the header has its number. Empty where the file is.
  const std::vector<std::string>& names() const;

  // The fields of the next row; false at the end.
  bool Next(std::vector<std::string>& fields);

  // The line on which the row that Next() gave last begins, from 1.
  size_t line() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace haplospin
