// Embeds a masked table as one vector per entry.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "nn/layers/attributes.h"
#include "nn/layers/dropout.h"
#include "nn/layers/masking.h"

namespace haplospin {

struct AttributeEmbeddingOptions {
  Attributes attributes;
  int64_t width = 0;  // e
  // Gives each class a vector that all attributes share: the vocabulary of K-mers, which have the same meaning at every
  // position. All attributes must then have the same number of classes.
  bool share_classes = false;
  // Initializes values with the same norm as index and type (standard normal), instead of a fraction of it as in NPT.
  bool long_values = false;
  double place_deviation = 1.0;  // initial standard deviation of index and type
  // [c, e], with share_classes: the initial vectors of the classes; index, type and mask are then initialized with a
  // small norm.
  torch::Tensor class_vectors;
  torch::Tensor mask_vector;  // [e], with class_vectors: the initial vector of a masked entry; undefined: small
  double dropout = 0.0;
};

// NPT, eq. 22: concat(Encode(X_j), M_j) W_j + index_j + type_j, where Encode is one-hot for a categorical attribute and
// the standardized value for a continuous one, and 0 for a masked entry.
class AttributeEmbeddingImpl : public torch::nn::Module {
 public:
  explicit AttributeEmbeddingImpl(const AttributeEmbeddingOptions& options);

  // Embeds the entries: [n, d] -> [n, d, e].
  torch::Tensor forward(const MaskedTable& table);

 private:
  torch::Tensor EmbedClasses(const torch::Tensor& values, const torch::Tensor& visible_class);

  bool has_classes_ = false, has_numbers_ = false;
  torch::Tensor class_weights_;   // [sum of classes, e]
  torch::Tensor number_weights_;  // [continuous attributes, e]
  torch::Tensor mask_weights_;    // [d, e]; [1, e] where classes are shared
  torch::Tensor index_;           // [d, e]
  torch::Tensor type_;            // [2, e]: categorical, continuous
  // The following tensors are derived from the attributes and not part of the state.
  torch::Tensor first_class_;  // [d]: row of class_weights_ where an attribute's classes start
  torch::Tensor is_number_;    // [d], 0 or 1
  torch::Tensor number_row_;   // [d]: row of number_weights_
  Dropout dropout_{nullptr};
};
TORCH_MODULE(AttributeEmbedding);

}  // namespace haplospin
