// Imputes targets on the CPU: candidates, their features, attention over them, and the probability of each marker's
// minor allele.
#pragma once

#include <memory>

#include "imputation/network/imputer_weights.h"
#include "imputation/samples/imputer_backend.h"

namespace haplospin {

std::unique_ptr<ImputerBackend> MakeCpuBackend(const ImputerWeights& weights);

}  // namespace haplospin
