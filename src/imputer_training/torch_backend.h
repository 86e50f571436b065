// The imputer's network through LibTorch, on the CPU or a GPU.
#pragma once

#include <memory>
#include <string>

#include "imputation/network/imputer_weights.h"
#include "imputation/network/network_backend.h"

namespace haplospin {

// `device` as in ParseDevice(); throws InputError where it is not there.
std::unique_ptr<NetworkBackend> MakeTorchBackend(const std::string& device, const ImputerWeights& weights);

// Whether this LibTorch sees a CUDA device.
bool SeesCudaDevice();

}  // namespace haplospin
