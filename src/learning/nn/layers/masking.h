// Stochastic masking: the entries of a table that a model has to predict, and their replacements in its input.
#pragma once

#include <torch/types.h>

#include <vector>

#include "learning/nn/layers/attributes.h"

namespace haplospin {

// A table as model input. All tensors are [n, d] on one device.
struct MaskedTable {
  torch::Tensor values;   // 0 where masked
  torch::Tensor masked;   // bool: the entry is masked in the model's input
  torch::Tensor in_loss;  // bool: the prediction of this entry is in the loss
};

// A table without masked entries.
MaskedTable Unmasked(const torch::Tensor& values);

// Masks the entries of `entries` [n, d] (bool) without adding them to the loss: labels that must never be used.
void Hide(MaskedTable& table, const torch::Tensor& entries);

// Selects each entry of `eligible` (bool, broadcasts to [n, d]) with `probability` and counts it in the loss. A share
// `randomized` of the selected entries get a random value, a uniform class or a standard normal number; the others are
// masked (NPT, appendix C.4.3, after BERT). With probability 1 all are masked: no label is ever
// an input.
void MaskAtRandom(MaskedTable& table, const Attributes& attributes, const torch::Tensor& eligible, double probability,
                  double randomized = 0.1);

// Chunk masking (SPIN, section 3.4): each of the `rows` (bool [n]) is selected with `probability`, and all the
// `columns` (bool [d]) of a selected row are masked and counted in the loss.
void MaskChunks(MaskedTable& table, const torch::Tensor& rows, const torch::Tensor& columns, double probability);

}  // namespace haplospin
