// The device of a command: parsed once from an option and passed on as a value.
#pragma once

#include <torch/types.h>

#include <string>

namespace haplospin {

// Parses "auto" (the first CUDA device if there is one, otherwise the CPU), "cpu", "cuda" or "cuda:N". Throws
// InputError for any other text, and for a CUDA device that LibTorch does not find. Writes
// LibTorch's version and the device to the log file, if there is one.
torch::Device ParseDevice(const std::string& text, int local_rank = 0);

}  // namespace haplospin
