#include "nn/layers/multi_head_attention.h"

#include <torch/nn/init.h>

#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
MultiHeadAttentionImpl::MultiHeadAttentionImpl(const MultiHeadAttentionOptions& options) : options_(options) {
  HS_ASSERT(options.heads > 0 && options.query_width % options.heads == 0);
  query_ = register_module("query", torch::nn::Linear(options.query_width, options.query_width));
  key_ = register_module("key", torch::nn::Linear(options.key_width, options.query_width));
  value_ = register_module("value", torch::nn::Linear(options.key_width, options.query_width));
  output_ = register_module("output", torch::nn::Linear(options.query_width, options.query_width));
}

// A rotation preserves distances and norms, and lets each head use a part of all entries instead of its own entries.
void MultiHeadAttentionImpl::StartAsSmoother(double gain, double length, const torch::Tensor& key_map) {
  HS_ASSERT(options_.query_width == options_.key_width);
  const torch::NoGradGuard no_grad;
  const double scale = Scale() * std::sqrt(static_cast<double>(options_.query_width));
  const auto heads = static_cast<double>(options_.heads);  // a head has 1 / heads of q.k
  torch::nn::init::orthogonal_(query_->weight, std::sqrt(gain * heads / scale));
  key_->weight.copy_(key_map.defined() ? query_->weight.matmul(key_map) : query_->weight);
  torch::nn::init::orthogonal_(value_->weight);
  output_->weight.copy_(value_->weight.t() * length);
  for (torch::nn::Linear* map : {&query_, &key_, &value_, &output_}) (*map)->bias.zero_();
}

torch::Tensor MultiHeadAttentionImpl::SplitHeads(const torch::Tensor& projected) const {
  return projected.unflatten(-1, {options_.heads, options_.query_width / options_.heads}).transpose(1, 2).contiguous();
}

double MultiHeadAttentionImpl::Scale() const {
  const int64_t width = options_.scale_by_full_width ? options_.query_width : options_.query_width / options_.heads;
  return 1.0 / std::sqrt(static_cast<double>(width));
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& queries, const torch::Tensor& keys) {
  const AttentionSettings settings{.block_bytes = options_.block_bytes,
                                   .dropout = is_training() ? options_.dropout : 0.0};
  const torch::Tensor heads =
      Attention(SplitHeads(query_(queries)), SplitHeads(key_(keys)), SplitHeads(value_(keys)), {}, Scale(), settings);
  return output_(heads.transpose(1, 2).flatten(-2));
}

torch::Tensor MultiHeadAttentionImpl::Weights(const torch::Tensor& queries, const torch::Tensor& keys) {
  return AttentionWeights(SplitHeads(query_(queries)), SplitHeads(key_(keys)), {}, Scale());
}

}  // namespace haplospin
