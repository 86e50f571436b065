// Commands of the program, and commands of these, such as `haplospin panel build`.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace haplospin {

// The command line after "haplospin": the command's name, then its options.
using Arguments = std::vector<std::string>;

// Runs the command and returns the exit code; throws InputError for input errors.
using CommandFunction = int (*)(const Arguments&);

// Returns "; did you mean NAME?" with the closest of `names`, or nothing where none is close.
std::string Suggestion(const std::string& typed, const std::vector<std::string>& names);

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
