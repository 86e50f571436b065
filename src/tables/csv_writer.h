// Formats the fields of a CSV file.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// A line with its line feed; fields are quoted as in RFC 4180 if needed.
std::string CsvLine(const std::vector<std::string>& fields, char separator = ',');

}  // namespace haplospin
