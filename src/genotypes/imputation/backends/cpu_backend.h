// Imputes samples on the CPU, one on each thread: candidates from the copying model, their features, attention over
// them, and the probability of each marker's minor allele.
#pragma once

#include <memory>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/models/network/imputer_weights.h"

namespace haplospin {

std::unique_ptr<Backend> MakeCpuBackend(const ImputerWeights& weights);

}  // namespace haplospin
