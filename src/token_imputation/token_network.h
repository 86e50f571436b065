// SPIN, NPT and the Set Transformer on the token tables of genotype windows.
#pragma once

#include <cstdint>
#include <memory>

#include "models/context_network.h"
#include "token_imputation/token_network_options.h"

namespace haplospin {

// Random weights from LibTorch's generator. `max_bytes` bounds the memory that SPIN takes to encode and predict, beside
// the table itself.
std::shared_ptr<ContextNetwork> MakeTokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes);

// RowsWithin() for a row of the options' tokens.
int64_t TokenRowsWithin(const TokenNetworkOptions& options, int64_t max_bytes, bool training);

}  // namespace haplospin
