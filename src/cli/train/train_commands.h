// The commands of `haplospin train`, one for each kind of architecture.
#pragma once

#include <string>
#include <unordered_set>

#include "cli/options/command.h"
#include "cli/options/command_options.h"

namespace haplospin {

int TrainImputerCommand(const Arguments& arguments);
// --arch spin, npt or set-transformer
int TrainTokensCommand(const Arguments& arguments, const std::string& architecture);

// The option that selects the command.
void AddArchitecture(CommandOptions& options, std::string* architecture);

// Reads a sample name per line; no names if the path is empty.
std::unordered_set<std::string> ReadNames(const std::string& path);

}  // namespace haplospin
