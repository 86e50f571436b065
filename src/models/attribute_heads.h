// Predicts each entry from its vector.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "nn/layers/attributes.h"

namespace haplospin {

// The logit of classes that an attribute does not have, so low that their probability is 0.
inline constexpr double kAbsentLogit = -1e30;

// A linear layer for each attribute (NPT, eq. 25), or a shared one with `share_classes` (as in AttributeEmbedding).
class AttributeHeadsImpl : public torch::nn::Module {
 public:
  AttributeHeadsImpl(const Attributes& attributes, int64_t width, bool share_classes = false);

  // Initial weights, with share_classes: an entry equal to the vector of a class, [c, e], is predicted as that class.
  void StartFrom(const torch::Tensor& class_vectors);

  // [n, d, e] -> [n, d, c], where c is the largest number of classes: a logit for each class, or the value of a
  // continuous attribute at index 0. Classes that an attribute does not have get kAbsentLogit.
  torch::Tensor forward(const torch::Tensor& entries);

  // Predicts the entries of each row from one vector for the whole row, [n, e] -> [n, d, c].
  torch::Tensor FromRows(const torch::Tensor& rows);

 private:
  torch::Tensor weights_;  // [sum of classes, e]
  torch::Tensor biases_;   // [sum of classes]
  // The following tensors are derived from the attributes and not part of the state.
  torch::Tensor rows_;    // [d, c]: rows of weights_
  torch::Tensor absent_;  // [d, c]
};
TORCH_MODULE(AttributeHeads);

}  // namespace haplospin
