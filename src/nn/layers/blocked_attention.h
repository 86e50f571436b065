// Attention whose memory does not grow with n m: online softmax over blocks of scores, and a backward pass that
// computes the blocks again (Rabe and Staats, 2021; Dao et al., 2022).
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

struct BlockedAttentionOptions {
  torch::Tensor mask;  // undefined, or bool that broadcasts to [b, heads, n, m]
  double scale = 1.0;
  double dropout = 0.0;  // its masks are drawn from the default generator
  int64_t block_bytes = 0;
};

// Shapes as Attention() in nn/layers/attention.h.
torch::Tensor BlockedAttention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                               const BlockedAttentionOptions& options);

}  // namespace haplospin
