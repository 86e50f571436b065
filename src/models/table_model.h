// The common interface of NPT, SPIN and the Set Transformer: they read a whole table and predict its entries.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "nn/layers/mab.h"
#include "nn/layers/masking.h"

namespace haplospin {

class TableModel : public torch::nn::Module {
 public:
  // Predictions for every entry of the table, [n, d, c] as AttributeHeads gives them. Each row may attend to all
  // others.
  virtual torch::Tensor forward(const MaskedTable& table) = 0;
};

struct TableModelOptions {
  Attributes attributes;
  int64_t width = 64;  // e: of each entry's vector
  int64_t depth = 8;   // layers, half between datapoints and half between attributes; even
  int64_t heads = 8;
  double attention_dropout = 0.0;
  double hidden_dropout = 0.0;
  bool share_classes = false;  // see AttributeEmbeddingOptions
  bool long_values = false;    // see AttributeEmbeddingOptions
  // [c, e], the vectors of the classes that all attributes share: SPIN (where f = d) and NPT (where the vectors leave a
  // dimension free) are then initialized as kernel smoothers instead of at random; see their StartAsSmoother().
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

}  // namespace haplospin
