// Loads libhaplospin_torch.so when a command needs it.
#pragma once

#include "cli/torch_api.h"

namespace haplospin {

// Loads the library at the first call, and sets the number of threads of LibTorch. Throws InputError if it or LibTorch
// is not installed.
const TorchApi& LoadTorchLibrary();

// A CommandFunction for the table in main.cpp: runs the command of this name in the library.
int TorchCommand(const Arguments& arguments);

}  // namespace haplospin
