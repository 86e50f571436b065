#include "haplospin/nn/multi_head_attention.h"

#include <cmath>

#include "haplospin/core/errors.h"

namespace haplospin {
namespace {

// [b, n, m] -> [b, 1, n, m]; an undefined mask stays undefined.
torch::Tensor ForHeads(const torch::Tensor& mask) {
  return mask.defined() && mask.dim() == 3 ? mask.unsqueeze(1) : mask;
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options) : options_(options) {
  HS_ASSERT(options.heads > 0 && options.query_width % options.heads == 0);
  query_ = register_module("query", torch::nn::Linear(options.query_width, options.query_width));
  key_ = register_module("key", torch::nn::Linear(options.key_width, options.query_width));
  value_ = register_module("value", torch::nn::Linear(options.key_width, options.query_width));
  output_ = register_module("output", torch::nn::Linear(options.query_width, options.query_width));
}

torch::Tensor MultiHeadAttentionImpl::SplitHeads(const torch::Tensor& projected) const {
  return projected.unflatten(-1, {options_.heads, options_.query_width / options_.heads}).transpose(1, 2).contiguous();
}

double MultiHeadAttentionImpl::Scale() const {
  const std::int64_t width =
      options_.scale_by_full_width ? options_.query_width : options_.query_width / options_.heads;
  return 1.0 / std::sqrt(static_cast<double>(width));
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& queries, const torch::Tensor& keys,
                                              const torch::Tensor& values, const torch::Tensor& mask) {
  const AttentionSettings settings{.block_bytes = options_.block_bytes,
                                   .dropout = is_training() ? options_.dropout : 0.0};
  const torch::Tensor heads = Attention(SplitHeads(query_(queries)), SplitHeads(key_(keys)), SplitHeads(value_(values)),
                                        ForHeads(mask), Scale(), settings);
  return output_(heads.transpose(1, 2).flatten(-2));
}

torch::Tensor MultiHeadAttentionImpl::Weights(const torch::Tensor& queries, const torch::Tensor& keys,
                                              const torch::Tensor& mask) {
  return AttentionWeights(SplitHeads(query_(queries)), SplitHeads(key_(keys)), ForHeads(mask), Scale());
}

}  // namespace haplospin
