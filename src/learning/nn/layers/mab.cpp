#include "learning/nn/layers/mab.h"

#include <torch/nn/init.h>

#include <cmath>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr double kNormEpsilon = 1e-12;  // NPT's published implementation

// LibTorch 1.13's CPU kernel wants one type: bfloat16 input is widened to the weights' own.
torch::Tensor Normalize(torch::nn::LayerNorm& norm, const torch::Tensor& x) {
  return norm(x.to(norm->weight.scalar_type()));
}

}  // namespace

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

double MultiHeadAttentionImpl::Scale() const {
  const int64_t width = options_.scale_by_full_width ? options_.query_width : options_.query_width / options_.heads;
  return 1.0 / std::sqrt(static_cast<double>(width));
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& queries, const torch::Tensor& keys) {
  const AttentionSettings settings{.block_bytes = options_.block_bytes,
                                   .dropout = is_training() ? options_.dropout : 0.0};
  const auto split = [&](const torch::Tensor& projected) { return SplitHeads(projected, options_.heads); };
  const torch::Tensor heads =
      Attention(split(query_(queries)), split(key_(keys)), split(value_(keys)), {}, Scale(), settings);
  return output_(heads.transpose(1, 2).flatten(-2));
}

torch::Tensor MultiHeadAttentionImpl::Weights(const torch::Tensor& queries, const torch::Tensor& keys) {
  return AttentionWeights(SplitHeads(query_(queries), options_.heads), SplitHeads(key_(keys), options_.heads), {},
                          Scale());
}

MabImpl::MabImpl(const MabOptions& options) : options_(options) {
  const int64_t width = options.query_width;
  const auto norm_options = torch::nn::LayerNormOptions({width}).eps(kNormEpsilon);
  attention_norm_ = register_module("attention_norm", torch::nn::LayerNorm(norm_options));
  attention_ = register_module(
      "attention", MultiHeadAttention(MultiHeadAttentionOptions{.query_width = width,
                                                                .key_width = options.key_width,
                                                                .heads = options.heads,
                                                                .dropout = options.attention_dropout,
                                                                .scale_by_full_width = options.scale_by_full_width,
                                                                .block_bytes = options.block_bytes}));
  if (options.normalize_keys && options.key_width != width) {
    const auto key_norm_options = torch::nn::LayerNormOptions({options.key_width}).eps(kNormEpsilon);
    key_norm_ = register_module("key_norm", torch::nn::LayerNorm(key_norm_options));
  }
  if (options.residual_projection) residual_ = register_module("residual", torch::nn::Linear(width, width));
  feed_forward_norm_ = register_module("feed_forward_norm", torch::nn::LayerNorm(norm_options));
  const int64_t hidden = 4 * width;
  expand_ = register_module("expand", torch::nn::Linear(width, hidden));
  contract_ = register_module("contract", torch::nn::Linear(hidden, width));
  dropout_ = register_module("dropout", Dropout(options.hidden_dropout));
}

void MabImpl::StartAsSmoother(const MabStart& start) {
  HS_ASSERT(options_.residual_projection);
  constexpr double kFaint = 0.1;
  const torch::NoGradGuard no_grad;
  attention_->StartAsSmoother(start.gain, start.attended, start.key_map);
  torch::nn::init::eye_(residual_->weight);
  residual_->weight.mul_(start.residual);
  residual_->bias.zero_();
  contract_->weight.mul_(kFaint);
  contract_->bias.zero_();
}

torch::Tensor MabImpl::Residual(const torch::Tensor& x) { return options_.residual_projection ? residual_(x) : x; }

torch::Tensor MabImpl::FeedForward(const torch::Tensor& o) {
  return dropout_(contract_(dropout_(torch::gelu(expand_(o)))));
}

torch::Tensor MabImpl::Keys(const torch::Tensor& h) {
  if (!options_.normalize_keys) return h;
  return Normalize(key_norm_.is_empty() ? attention_norm_ : key_norm_, h);
}

torch::Tensor MabImpl::forward(const torch::Tensor& x, const torch::Tensor& h) {
  const torch::Tensor queries = Normalize(attention_norm_, x);
  const bool attends_to_itself = x.is_same(h) && options_.normalize_keys;
  const torch::Tensor keys = attends_to_itself ? queries : Keys(h);
  const torch::Tensor o = Residual(x) + dropout_(attention_(queries, keys));
  return o + FeedForward(Normalize(feed_forward_norm_, o));
}

torch::Tensor MabImpl::Weights(const torch::Tensor& x, const torch::Tensor& h) {
  return attention_->Weights(Normalize(attention_norm_, x), Keys(h));
}

}  // namespace haplospin
