// Fields of a CSV file on their way out.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// A line with its line feed; fields that need it are quoted as RFC 4180 has it.
std::string CsvLine(const std::vector<std::string>& fields, char separator = ',');

}  // namespace haplospin
