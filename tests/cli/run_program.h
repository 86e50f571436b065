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

// Expects exit code 2, one error that contains all of `parts`, nothing on standard output and beside the error only
// what the program says on the way, such as that there is no map.
void ExpectRefused(const ProgramResult& result, const std::vector<std::string>& parts);

}  // namespace haplospin
