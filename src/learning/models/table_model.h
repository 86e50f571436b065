// The parts that all models of tables share: options, embedding, predictions and loss.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>

#include <cstdint>

#include "learning/nn/layers/attributes.h"
#include "learning/nn/layers/dropout.h"
#include "learning/nn/layers/mab.h"
#include "learning/nn/layers/masking.h"

namespace haplospin {

// The options of NPT, SPIN and the Set Transformer.
struct TableModelOptions {
  Attributes attributes;
  int64_t width = 64;  // e: width of each entry's vector
  int64_t depth = 8;   // layers, half between datapoints and half between attributes; even
  int64_t heads = 8;
  double attention_dropout = 0.0;
  double hidden_dropout = 0.0;
  bool share_classes = false;  // AttributeEmbeddingOptions::share_classes
  bool long_values = false;    // AttributeEmbeddingOptions::long_values
  // Vectors of the classes that all attributes share, [c, e]. If they are given, SPIN (with f = d) and NPT (with e > c)
  // are initialized as kernel smoothers instead of at random; see their StartAsSmoother().
  torch::Tensor smoothed_classes;
  int64_t block_bytes = AttentionSettings().block_bytes;
};

// The block of the papers: pre-norm, a projected residual branch, four-fold feed-forward, and scores divided by the
// square root of the full width. The residual projection W_res is written in NPT's eq. 4; SPIN's formula omits it, but
// the published parameter counts of SPIN include it.
MabOptions PaperMab(const TableModelOptions& options, int64_t query_width, int64_t key_width);

// Joins the entries of each datapoint to one vector, [n, d, e] -> [1, n, d e], and back.
torch::Tensor Unfold(const torch::Tensor& entries);
torch::Tensor Fold(const torch::Tensor& datapoints, int64_t width);

// A learned tensor initialized as in Glorot and Bengio (2010) for a matrix of the last two dimensions.
torch::Tensor XavierTensor(torch::IntArrayRef sizes);

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

// The embedding of NPT, SPIN and the Set Transformer.
AttributeEmbeddingOptions EmbeddingOptions(const TableModelOptions& options);

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
  // Tensors derived from the attributes, which are not part of the state:
  torch::Tensor first_class_;  // [d]: row of class_weights_ where an attribute's classes start
  torch::Tensor is_number_;    // [d], 0 or 1
  torch::Tensor number_row_;   // [d]: row of number_weights_
  Dropout dropout_{nullptr};
};
TORCH_MODULE(AttributeEmbedding);

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
  // Tensors derived from the attributes, which are not part of the state:
  torch::Tensor rows_;    // [d, c]: rows of weights_
  torch::Tensor absent_;  // [d, c]
};
TORCH_MODULE(AttributeHeads);

struct TableLosses {
  torch::Tensor labels;      // mean over the entries of target columns that count; 0 where there are none
  torch::Tensor attributes;  // mean over the entries of the other columns that count

  // (1 - tradeoff) labels + tradeoff attributes (SPIN, section 3.4; NPT, section 2.6).
  torch::Tensor Total(double tradeoff) const { return (1.0 - tradeoff) * labels + tradeoff * attributes; }
};

// Cross-entropy for categorical attributes, squared error for continuous ones (SPIN, appendix A.2); each mean is over
// the entries in the loss (NPT, appendix C.5). predictions [n, d, c] as AttributeHeads gives them, truth [n, d],
// in_loss [n, d] (bool), is_target [d] (bool).
TableLosses TableLoss(const torch::Tensor& predictions, const torch::Tensor& truth, const torch::Tensor& in_loss,
                      const torch::Tensor& is_target, const Attributes& attributes);

}  // namespace haplospin
