// The optimizers that networks are trained with, by choice.
#pragma once

#include <memory>
#include <optional>

#include "nn/optimization/adam.h"
#include "nn/optimization/lookahead.h"

namespace haplospin {

enum class OptimizerKind { kAdamW, kLamb };

struct OptimizerChoice {
  OptimizerKind kind = OptimizerKind::kAdamW;
  std::optional<LookaheadOptions> lookahead;  // around it; none: without
};

// For the parameters that require a gradient.
std::unique_ptr<Optimizer> MakeOptimizer(const torch::nn::Module& network, const OptimizerChoice& choice,
                                         double weight_decay);

}  // namespace haplospin
