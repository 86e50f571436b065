// The device a command computes on: chosen once from an option and handed on as a value.
#pragma once

#include <torch/types.h>

#include <string>

namespace haplospin {

// Reads "auto" (the first CUDA device where there is one, else the CPU), "cpu", "cuda" or "cuda:N".
// Of several processes on a machine, "auto" and "cuda" give each the next CUDA device by its local rank.
// Throws InputError for any other text, and for a CUDA device that this LibTorch does not see.
torch::Device ParseDevice(const std::string& text, int local_rank = 0);

}  // namespace haplospin
