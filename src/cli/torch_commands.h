// The commands that need torch, one file each.
#pragma once

#include "cli/command.h"

namespace haplospin {

int TabularCommand(const Arguments& arguments);
int TrainCommand(const Arguments& arguments);

}  // namespace haplospin
