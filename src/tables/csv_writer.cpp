#include "haplospin/tables/csv_writer.h"

#include <csv.h>

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
    const size_t start = line.size();
    line.resize(start + 2 * fields[i].size() + 2);
    line.resize(start + csv_write(line.data() + start, line.size() - start, fields[i].data(), fields[i].size()));
  }
  return line + '\n';
}

}  // namespace haplospin
