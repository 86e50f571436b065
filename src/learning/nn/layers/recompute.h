// Gradient checkpointing: recomputes activations in the backward pass to save memory.
#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

namespace haplospin {

using RecomputedBlock = std::function<std::vector<torch::Tensor>(const std::vector<torch::Tensor>& inputs)>;

// block(inputs), of which only the inputs are kept: the backward pass runs the block again, with the same random
// numbers and in the same precision, and takes the gradients from that (Chen et al., 2016, Training Deep Nets with
// Sublinear Memory Cost). Gradients reach `inputs` and `parameters`. The latter are leaves that the block reads by
// itself; they may include others. Where no gradients are wanted the block is just run.
//
// All tensors are on one device. What else the block refers to must live, unchanged, until the backward pass. There are
// no second derivatives.
std::vector<torch::Tensor> Recompute(const RecomputedBlock& block, const std::vector<torch::Tensor>& inputs,
                                     const std::vector<torch::Tensor>& parameters);

}  // namespace haplospin
