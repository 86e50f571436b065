// Stochastic masking: which entries of a table a model must predict, and what it sees in their place.
#pragma once

#include <torch/types.h>

#include <vector>

#include "nn/layers/attributes.h"

namespace haplospin {

// A table as a model gets it. All tensors are [n, d] on one device.
struct MaskedTable {
  torch::Tensor values;   // 0 where masked
  torch::Tensor masked;   // bool: the model is told that it does not see this entry
  torch::Tensor in_loss;  // bool: the loss counts the prediction of this entry
};

// A table with nothing hidden.
MaskedTable Unmasked(const torch::Tensor& values);

// Hides the entries of `entries` [n, d] (bool) without counting them in the loss: labels that must never be seen.
void Hide(MaskedTable& table, const torch::Tensor& entries);

// Of the entries in `eligible` (bool, broadcasts to [n, d]) each is selected with `probability` and counted in the
// loss. Of those selected, the share `randomised` keep no mask but a random value, a uniform class or a standard normal
// number; the others are masked (NPT, appendix C.4.3, after BERT). With probability 1 all are masked: no label is ever
// an input.
void MaskAtRandom(MaskedTable& table, const Attributes& attributes, const torch::Tensor& eligible, double probability,
                  double randomised = 0.1);

// Chunk masking (SPIN, section 3.4): each of the `rows` (bool [n]) is selected with `probability`, and all the
// `columns` (bool [d]) of a selected row are masked and counted in the loss.
void MaskChunks(MaskedTable& table, const torch::Tensor& rows, const torch::Tensor& columns, double probability);

}  // namespace haplospin
