// Runs the haplospin executable as a user does.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

struct ProgramResult {
  int exit_code = -1;  // 128 + N where signal N ended it
  std::string out;
  std::string err;
};

// Runs `haplospin arguments...` in the current folder with `input` on standard input.
ProgramResult RunProgram(const std::vector<std::string>& arguments, const std::string& input = "");

}  // namespace haplospin
