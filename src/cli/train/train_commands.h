// The parts of `haplospin train`, one for each kind of architecture.
#pragma once

#include <string>
#include <unordered_set>

#include "cli/options/command.h"
#include "cli/options/command_options.h"

namespace haplospin {

int TrainImputerCommand(const Arguments& arguments);  // --arch imputer
int TrainTokensCommand(const Arguments& arguments);   // --arch spin, npt or set-transformer

// The option that tells them apart.
void AddArchitecture(CommandOptions& options, std::string* architecture);

// A sample name per line; none where the path is empty.
std::unordered_set<std::string> ReadNames(const std::string& path);

}  // namespace haplospin
