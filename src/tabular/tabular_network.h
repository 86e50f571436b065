// The networks of models/context_network.h on tables.
#pragma once

#include <cstdint>
#include <memory>

#include "tabular/residual_network.h"

namespace haplospin {

// SPIN's rows_per_block: the steps of the presets "small" and "base" are one block.
inline constexpr int64_t kSpinRowsPerBlock = 512;

// Random weights from LibTorch's generator. is_target: [d] bool.
std::shared_ptr<ResidualNetwork> MakeTabularNetwork(const ContextNetworkOptions& options,
                                                    std::shared_ptr<LinearModel> linear, const Attributes& attributes,
                                                    const torch::Tensor& is_target);

}  // namespace haplospin
