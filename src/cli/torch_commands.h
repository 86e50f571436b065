// The commands that need LibTorch, one file each.
#pragma once

#include "cli/options/command.h"

namespace haplospin {

int IpnpCommand(const Arguments& arguments);
int NpCommand(const Arguments& arguments);
int TeTnpCommand(const Arguments& arguments);

}  // namespace haplospin
