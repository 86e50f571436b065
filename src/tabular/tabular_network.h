// The networks of models/context_network.h on tables.
#pragma once

#include <cstdint>
#include <memory>

#include "models/context_network.h"

namespace haplospin {

// SPIN's rows_per_block: the steps of the presets "small" and "base" are one block.
inline constexpr int64_t kSpinRowsPerBlock = 512;

// Random weights from LibTorch's generator.
std::shared_ptr<ContextNetwork> MakeTabularNetwork(const ContextNetworkOptions& options, const Attributes& attributes);

}  // namespace haplospin
