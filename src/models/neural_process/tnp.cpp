#include "models/neural_process/tnp.h"

namespace haplospin {
namespace {

Mlp MakeEmbedding(const ProcessOptions& options) {
  return Mlp(MlpOptions{.input = options.dx + options.dy + 1, .hidden = options.width, .output = options.width});
}

torch::nn::ModuleList MakeBlocks(const ProcessOptions& options) {
  torch::nn::ModuleList blocks;
  for (int64_t i = 0; i < options.layers; ++i) blocks->push_back(AttentionBlock(options.width, options.heads));
  return blocks;
}

// The last input indicates whether there is an observation.
torch::Tensor ContextInputs(const torch::Tensor& x, const torch::Tensor& y) {
  return torch::cat({x, y, torch::ones_like(x.narrow(2, 0, 1))}, 2);
}

torch::Tensor TargetInputs(const torch::Tensor& x, int64_t dy) {
  return torch::cat({x, torch::zeros({x.size(0), x.size(1), dy + 1}, x.options())}, 2);
}

}  // namespace

AttentionBlockImpl::AttentionBlockImpl(int64_t width, int64_t heads) {
  attention_ = register_module("attention", MultiHeadAttention(MultiHeadAttentionOptions{
                                                .query_width = width, .key_width = width, .heads = heads}));
  attention_norm_ = register_module("attention_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  mlp_norm_ = register_module("mlp_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  mlp_ = register_module("mlp", Mlp(MlpOptions{.input = width, .hidden = width, .output = width}));
}

torch::Tensor AttentionBlockImpl::forward(const torch::Tensor& queries, const torch::Tensor& keys) {
  torch::Tensor z = queries;
  if (keys.size(1) > 0) {
    z = z + attention_(attention_norm_(queries), attention_norm_(keys));
  }
  return z + mlp_(mlp_norm_(z));
}

Tnp::Tnp(const ProcessOptions& options) {
  embedding_ = register_module("embedding", MakeEmbedding(options));
  blocks_ = register_module("blocks", MakeBlocks(options));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction Tnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x) {
  torch::Tensor context = embedding_(ContextInputs(context_x, context_y));
  torch::Tensor targets = embedding_(TargetInputs(target_x, context_y.size(2)));
  for (const auto& module : *blocks_) {
    auto& block = *module->as<AttentionBlockImpl>();
    context = block.forward(context, context);
    targets = block.forward(targets, context);
  }
  return head_(targets.unsqueeze(0));
}

PtTnp::PtTnp(const ProcessOptions& options, PseudoTokenStyle style) : style_(style) {
  pseudo_tokens_ = register_parameter("pseudo_tokens", torch::randn({1, options.pseudo_tokens, options.width}));
  embedding_ = register_module("embedding", MakeEmbedding(options));
  gather_ = register_module("gather", MakeBlocks(options));
  spread_ = register_module("spread", MakeBlocks(options));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction PtTnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                          const torch::Tensor& target_x) {
  torch::Tensor context = embedding_(ContextInputs(context_x, context_y));
  torch::Tensor targets = embedding_(TargetInputs(target_x, context_y.size(2)));
  torch::Tensor pseudo = pseudo_tokens_.expand({context.size(0), -1, -1});
  for (size_t i = 0; i < gather_->size(); ++i) {
    auto& spread = spread_->at<AttentionBlockImpl>(i);
    pseudo = gather_->at<AttentionBlockImpl>(i).forward(pseudo, context);
    if (style_ == PseudoTokenStyle::kPerceiver) {
      pseudo = spread.forward(pseudo, pseudo);
    } else {
      context = spread.forward(context, pseudo);
    }
    targets = spread.forward(targets, pseudo);
  }
  return head_(targets.unsqueeze(0));
}

}  // namespace haplospin
