// A command line, split into options and other arguments.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command.h"
#include "cli/options/command_option.h"

namespace haplospin {

struct CommandLineItem {
  std::string name;   // of the option, without its dashes where it is known; empty: an argument without option
  std::string value;  // empty for a flag
};

// What follows the command's name, in its order. Unknown options are among the items. Throws InputError where an option
// has no value, or a flag has one.
std::vector<CommandLineItem> SplitCommandLine(const Arguments& arguments, const std::vector<CommandOption>& options);

}  // namespace haplospin
