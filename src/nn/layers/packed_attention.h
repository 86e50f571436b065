// Attention of heads that lie side by side in each row, as the projections give them.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace haplospin {

// Whether PackedAttention() takes these: float tensors on the CPU.
bool CanPackAttention(const torch::Tensor& queries);

// queries [b, n, w], keys and values [b, m, w] with m > 0; head j has the j-th part of the w entries of each row.
// Returns softmax(scale Q K^T) V of each head, [b, n, w]. No scores are stored, in training too. On sequences of a few
// rows it is many times faster than matrix products for each head. There are no second derivatives. The result does not
// depend on the number of threads.
torch::Tensor PackedAttention(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values,
                              int64_t heads, double scale);

}  // namespace haplospin
