// The best states of many targets, by the Li-Stephens recursions (imputation/copying/forward_backward.h) of all of them
// at the same time, as tensors on any device.
#pragma once

#include <torch/types.h>

#include "imputation/copying/typed_panel.h"
#include "imputer_training/device/copying_batch.h"

namespace haplospin {

// The candidates of T targets: up to C in each of A anchors.
struct SelectedCandidates {
  torch::Tensor count;              // [A, T] int32
  torch::Tensor state;              // [A, T, C] int32, the first `count` of them ascending
  torch::Tensor forward, backward;  // [A, T, C] their copying probabilities, times the haplotypes that can be copied
  torch::Tensor at_left, at_right;  // [A, T, C] as in CopyCandidates; 0 in unused slots
  torch::Tensor left_out;           // [typed, T] probability of ALT given all other alleles
};

// Returns the candidates of all targets of a batch whose product of forward and backward probability is larger than
// `min_product` times the largest one.
SelectedCandidates SelectCandidates(const TypedPanel& panel, const CopyingBatch& batch, float min_product);

}  // namespace haplospin
