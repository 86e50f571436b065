// Commands that have commands of their own, such as `haplospin panel build`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/options/command.h"

namespace haplospin {

struct Subcommand {
  const char* name;
  const char* help;  // a line
  std::function<int(const Arguments&)> run;
};

// Runs the subcommand that arguments[1] names, with the arguments from its name on, and returns its exit code; without
// one, or with --help, prints them all. `summary` says in one line what arguments[0] is. Throws InputError for an
// unknown name.
int RunSubcommand(const Arguments& arguments, const std::string& summary, const std::vector<Subcommand>& subcommands);

}  // namespace haplospin
