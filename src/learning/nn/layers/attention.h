// Dot-product attention, softmax(scale Q K^T) V, in the forms that LibTorch and memory allow.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

enum class AttentionKernel {
  kAuto,     // fused if LibTorch has it, else plain if all scores fit in block_bytes, else blocked
  kPlain,    // holds all scores, twice or more in training
  kBlocked,  // holds one block of scores, in training too
  kFused,    // LibTorch's own; from LibTorch 2 on
};

struct AttentionSettings {
  AttentionKernel kernel = AttentionKernel::kAuto;
  int64_t block_bytes = int64_t{64} << 20;  // bound for one block of scores
  double dropout = 0.0;                     // share of attention weights; 0 outside training
};

// queries [b, heads, n, e], keys [b, heads, m, e], values [b, heads, m, v]; all of one type and device.
// mask: undefined, or bool that broadcasts to [b, heads, n, m], true where a query may attend to a key.
// Returns [b, heads, n, v]. A query that may attend to nothing gets 0, and passes no gradient on.
//
// Gradients of gradients exist for kPlain only. Requesting kFused if LibTorch does not have it is a bug of the caller.
torch::Tensor Attention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                        const torch::Tensor& mask, double scale, const AttentionSettings& settings = {});

// The attention weights, softmax(scale Q K^T) as [b, heads, n, m], for inspection of a model.
torch::Tensor AttentionWeights(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& mask,
                               double scale);

// The heads of projected tokens side by side: [b, n, w] -> [b, heads, n, w / heads].
torch::Tensor SplitHeads(const torch::Tensor& projected, int64_t heads);

}  // namespace haplospin
