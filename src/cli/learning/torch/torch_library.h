// Loads libhaplospin_torch.so when a command needs it.
#pragma once

#include "cli/learning/torch/torch_api.h"
#include "cli/options/command_options.h"

namespace haplospin {

// Loads the library at the first call. Throws InputError if it or LibTorch is not installed.
const TorchApi& LoadTorchLibrary();

// Parses the options of a command that needs LibTorch, and loads the library. Null after printing --help, for which
// LibTorch need not be installed. Throws InputError if it is not, rather than for an invalid option.
const TorchApi* ParseAndLoad(CommandOptions& options, const Arguments& arguments);

}  // namespace haplospin
