// Multi-head attention, and the block around it that all networks here are made of.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "learning/nn/layers/attention.h"
#include "learning/nn/layers/dropout.h"

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
  double Scale() const;

  MultiHeadAttentionOptions options_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
};
TORCH_MODULE(MultiHeadAttention);

struct MabOptions {
  int64_t query_width = 0;
  int64_t key_width = 0;
  int64_t heads = 1;
  double attention_dropout = 0.0;
  double hidden_dropout = 0.0;       // applied after the attention and each linear layer of FF
  bool residual_projection = false;  // R(X) = X W_res (NPT, eq. 4) rather than X
  // H through the same LayerNorm as X (NPT, eq. 4, where H is X), or one of its own where it is not as wide.
  bool normalize_keys = false;
  bool scale_by_full_width = false;
  int64_t block_bytes = AttentionSettings().block_bytes;
};

// Initial weights of a MAB with W_res: residual X + attended (the mean of the rows of H that are similar to X), and a
// small FF.
struct MabStart {
  double gain = 1.0;  // factor of the similarity scores
  double residual = 1.0;
  double attended = 1.0;
  torch::Tensor key_map;  // MultiHeadAttention::StartAsSmoother()'s
};

// MAB(X, H) = O + FF(LN(O)), O = R(X) + MHA(LN(X), H, H): SPIN section 2 and NPT eq. 4 and 5. FF has one hidden layer
// with GELU, four times as wide as X.
class MabImpl : public torch::nn::Module {
 public:
  explicit MabImpl(const MabOptions& options);

  void StartAsSmoother(const MabStart& start);

  // Maps x [b, n, query_width] and h [b, m, key_width] to [b, n, query_width].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& h);

  // The attention weights of each row of x over h, [b, heads, n, m].
  torch::Tensor Weights(const torch::Tensor& x, const torch::Tensor& h);

 private:
  torch::Tensor Residual(const torch::Tensor& x);
  torch::Tensor FeedForward(const torch::Tensor& o);
  torch::Tensor Keys(const torch::Tensor& h);

  MabOptions options_;
  MultiHeadAttention attention_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr}, key_norm_{nullptr}, feed_forward_norm_{nullptr};
  torch::nn::Linear residual_{nullptr}, expand_{nullptr}, contract_{nullptr};
  Dropout dropout_{nullptr};
};
TORCH_MODULE(Mab);

}  // namespace haplospin
