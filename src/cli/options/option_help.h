// The options of a command as --help shows them.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_option.h"

namespace haplospin {

// A paragraph for each group, in the order of the options.
std::string OptionHelp(const std::vector<CommandOption>& options);

}  // namespace haplospin
