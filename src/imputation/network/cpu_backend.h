// The imputer's network on the CPU's vector kernels.
#pragma once

#include <memory>

#include "imputation/network/imputer_weights.h"
#include "imputation/network/network_backend.h"

namespace haplospin {

std::unique_ptr<NetworkBackend> MakeCpuBackend(const ImputerWeights& weights);

}  // namespace haplospin
