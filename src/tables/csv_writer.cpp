#include "tables/csv_writer.h"

#include <boost/algorithm/string/replace.hpp>

namespace haplospin {

std::string CsvLine(const std::vector<std::string>& fields, char separator) {
  std::string line;
  const std::string special = std::string("\"\r\n \t") + separator;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += separator;
    if (fields[i].find_first_of(special) == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"' + boost::algorithm::replace_all_copy(fields[i], "\"", "\"\"") + '"';
  }
  return line + '\n';
}

}  // namespace haplospin
