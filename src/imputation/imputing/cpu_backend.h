// Imputes targets on the CPU: candidates, their features, attention over them, and the probability of each marker's
// minor allele.
#pragma once

#include <memory>

#include "imputation/imputing/backend.h"
#include "imputation/network/imputer_weights.h"

namespace haplospin {

std::unique_ptr<ImputerBackend> MakeCpuBackend(const ImputerWeights& weights);

}  // namespace haplospin
