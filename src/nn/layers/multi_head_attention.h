// Multi-head attention.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "nn/layers/attention.h"

namespace haplospin {

struct MultiHeadAttentionOptions {
  int64_t query_width = 0;  // width of queries and output; a multiple of `heads`
  int64_t key_width = 0;    // width of the keys
  int64_t heads = 1;
  double dropout = 0.0;  // share of attention weights
  // Divide the scores by the square root of query_width (NPT, eq. 1 and appendix C.2.1) rather than of one head's
  // width.
  bool scale_by_full_width = false;
  int64_t block_bytes = AttentionSettings().block_bytes;
};

// MHA(Q, K) = concat(O_1, ..., O_heads) W_O with O_j = Att(Q W_j^Q, K W_j^K, K W_j^V) (SPIN, section 2, with V = K).
class MultiHeadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options);

  // Initial weights with which a query attends to the values whose keys are similar to it, scaled by `length`: the
  // projections of queries and keys are equal, and scores are on average gain q.k / sqrt(width). All widths must be
  // equal. key_map: undefined, or [width, width], a projection of the keys before they are compared.
  void StartAsSmoother(double gain, double length, const torch::Tensor& key_map = {});

  // queries [b, n, query_width], keys [b, m, key_width], which are the values too -> [b, n, query_width].
  torch::Tensor forward(const torch::Tensor& queries, const torch::Tensor& keys);

  // The attention weights, [b, heads, n, m].
  torch::Tensor Weights(const torch::Tensor& queries, const torch::Tensor& keys);

 private:
  torch::Tensor SplitHeads(const torch::Tensor& projected) const;  // [b, n, w] -> [b, heads, n, w / heads]
  double Scale() const;

  MultiHeadAttentionOptions options_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
};
TORCH_MODULE(MultiHeadAttention);

}  // namespace haplospin
