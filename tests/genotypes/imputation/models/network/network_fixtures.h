// Weights of the imputer's network for tests.
#pragma once

#include <cstdint>

#include "genotypes/imputation/models/network/imputer_weights.h"

namespace haplospin {

// A network that adds nothing: what is left is the Li-Stephens model over the candidates, with a share of
// 1 / (1 + exp(-panel_share)) of the panel's frequency.
ImputerWeights LiStephensWeights(float panel_share = -7);

// Normally distributed weights, small enough that no unit saturates.
ImputerWeights RandomWeights(uint64_t seed, size_t copy_hidden = 12, size_t allele_hidden = 8);

}  // namespace haplospin
