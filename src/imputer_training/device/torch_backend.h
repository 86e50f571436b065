// Imputes targets through LibTorch, on the CPU or a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "imputation/imputing/backend.h"
#include "imputation/network/imputer_weights.h"

namespace haplospin {

// Makes the backend for a device by the name of ParseDevice(); throws InputError if it is not available. Samples that
// are imputed together take at most `max_bytes`, besides the window.
std::unique_ptr<Backend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights, size_t max_bytes);

// Returns whether LibTorch finds a CUDA device.
bool SeesCudaDevice();

}  // namespace haplospin
