// Imputes targets through LibTorch, on the CPU or a GPU.
#pragma once

#include <memory>
#include <string>

#include "imputation/imputing/backend.h"
#include "imputation/network/imputer_weights.h"

namespace haplospin {

// `device` as in ParseDevice(); throws InputError if it is not available.
std::unique_ptr<ImputerBackend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights);

// Whether LibTorch finds a CUDA device.
bool SeesCudaDevice();

}  // namespace haplospin
