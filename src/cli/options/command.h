// A command of the program.
#pragma once

#include <string>
#include <vector>

namespace haplospin {

// The command line after "haplospin": the command's name, then its options.
using Arguments = std::vector<std::string>;

// Does the work and returns the exit code; throws InputError for what the user can mend.
using CommandFunction = int (*)(const Arguments&);

}  // namespace haplospin
