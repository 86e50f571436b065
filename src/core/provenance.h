// The program, command and data that made a model or a report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace haplospin {

struct Provenance {
  std::string haplospin;  // version of the program
  std::string command;    // the whole command line
  std::string data;       // training data
  std::string date;       // YYYY-MM-DD, UTC
  uint64_t seed = 0;
};

// "haplospin" and its arguments on one line. Arguments with special characters are quoted as for a shell, which keeps
// line ends out of headers.
std::string CommandLineText(const std::vector<std::string>& arguments);

// Describes a run of this program today; `arguments` are those of the command line after the program's name. The date
// is that of SOURCE_DATE_EPOCH if the environment sets it; throws InputError if that is not a number of seconds.
Provenance MakeProvenance(const std::vector<std::string>& arguments, const std::string& data = "", uint64_t seed = 0);

}  // namespace haplospin
