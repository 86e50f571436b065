// Runs the haplospin executable as a user does.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace haplospin {

struct ProgramResult {
  int exit_code = -1;  // 128 + N where signal N ended it
  std::string out;
  std::string err;     // without the report
  std::string report;  // the last line of a run that succeeds: its time and memory
};

// Runs `haplospin arguments...` in the current folder with `input` on standard input, and with further environment
// variables.
ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& input = "",
                         const std::map<std::string, std::string>& environment = {});

}  // namespace haplospin
