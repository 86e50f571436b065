// Commands of the program and their arguments.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// The command line after "haplospin": the command's name, then its options.
using Arguments = std::vector<std::string>;

// Runs the command and returns the exit code; throws InputError for input errors.
using CommandFunction = int (*)(const Arguments&);

}  // namespace haplospin
