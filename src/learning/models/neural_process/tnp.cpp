#include "learning/models/neural_process/tnp.h"

#include <cmath>

namespace haplospin {
namespace {

Mlp MakeEmbedding(const ProcessOptions& options, int64_t input) {
  return Mlp(MlpOptions{.input = input, .hidden = options.width, .output = options.width});
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

enum class LastLocations { kUpdated, kNotUsed };

torch::nn::ModuleList MakeTeBlocks(const ProcessOptions& options, int64_t count, LastLocations last) {
  torch::nn::ModuleList blocks;
  for (int64_t i = 0; i < count; ++i) {
    blocks->push_back(TeBlock(options, last == LastLocations::kNotUsed && i + 1 == count));
  }
  return blocks;
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
  embedding_ = register_module("embedding", MakeEmbedding(options, options.dx + options.dy + 1));
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
  embedding_ = register_module("embedding", MakeEmbedding(options, options.dx + options.dy + 1));
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

TeBlockImpl::TeBlockImpl(const ProcessOptions& options, bool is_last) {
  const int64_t width = options.width;
  attention_ = register_module("attention",
                               TeAttention(TeAttentionOptions{.width = width,
                                                              .heads = options.heads,
                                                              .locations = options.dx,
                                                              .kernel_width = options.kernel_width,
                                                              .frequencies = options.kernel_frequencies,
                                                              .update_locations = options.update_locations && !is_last,
                                                              .block_bytes = options.block_bytes}));
  attention_norm_ = register_module("attention_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  mlp_norm_ = register_module("mlp_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  mlp_ = register_module("mlp", Mlp(MlpOptions{.input = width, .hidden = width, .output = width}));
}

LocatedTokens TeBlockImpl::forward(const LocatedTokens& queries, const LocatedTokens& keys) {
  LocatedTokens out = queries;
  if (keys.z.size(1) > 0) {
    const auto [z, x] = attention_(attention_norm_(queries.z), queries.x, attention_norm_(keys.z), keys.x);
    out = {queries.z + z, x};
  }
  out.z = out.z + mlp_(mlp_norm_(out.z));
  return out;
}

TeTnp::TeTnp(const ProcessOptions& options) {
  target_token_ = register_parameter("target_token", torch::randn({1, 1, options.width}));
  embedding_ = register_module("embedding", MakeEmbedding(options, options.dy));
  blocks_ = register_module("blocks", MakeTeBlocks(options, options.layers, LastLocations::kNotUsed));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction TeTnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                          const torch::Tensor& target_x) {
  LocatedTokens context{embedding_(context_y), context_x};
  LocatedTokens targets{target_token_.expand({target_x.size(0), target_x.size(1), -1}), target_x};
  for (const auto& module : *blocks_) {
    auto& block = *module->as<TeBlockImpl>();
    const LocatedTokens next = block.forward(context, context);
    targets = block.forward(targets, {next.z, context.x});
    context = next;
  }
  return head_(targets.z.unsqueeze(0));
}

TePtTnp::TePtTnp(const ProcessOptions& options) : separate_reads_(options.separate_reads) {
  target_token_ = register_parameter("target_token", torch::randn({1, 1, options.width}));
  pseudo_tokens_ = register_parameter("pseudo_tokens", torch::randn({1, options.pseudo_tokens, options.width}));
  pseudo_locations_ = register_parameter("pseudo_locations", torch::randn({1, options.pseudo_tokens, options.dx}));
  if (options.weigh_pseudo_locations) {
    location_query_ = register_module("location_query", torch::nn::Linear(options.width, options.width));
    location_key_ = register_module("location_key", torch::nn::Linear(options.width, options.width));
  }
  embedding_ = register_module("embedding", MakeEmbedding(options, options.dy));
  const int64_t layers = options.layers;
  if (options.separate_reads) {  // the last layer has no use for the context
    gather_ = register_module("gather", MakeTeBlocks(options, layers, LastLocations::kUpdated));
    spread_ = register_module("spread", MakeTeBlocks(options, layers - 1, LastLocations::kUpdated));
    read_ = register_module("read", MakeTeBlocks(options, layers, LastLocations::kNotUsed));
  } else {
    gather_ = register_module("gather", MakeTeBlocks(options, layers, LastLocations::kNotUsed));
    spread_ = register_module("spread", MakeTeBlocks(options, layers, LastLocations::kNotUsed));
    read_ = spread_;
  }
  head_ = register_module("head", GaussianHead(options, options.width));
}

LocatedTokens TePtTnp::PseudoTokens(const LocatedTokens& context) {
  const int64_t tasks = context.z.size(0);
  if (context.z.size(1) == 0) return context;
  const torch::Tensor tokens = pseudo_tokens_.expand({tasks, -1, -1});
  const torch::Tensor center = context.x.mean(1, /*keepdim=*/true);
  if (location_query_.is_empty()) return {tokens, pseudo_locations_ + center};
  const torch::Tensor scores = torch::matmul(location_query_(tokens), location_key_(context.z).transpose(1, 2));
  const torch::Tensor psi = (scores / std::sqrt(static_cast<double>(tokens.size(2)))).softmax(2);
  // Weights sum to 1, so the center can be subtracted: sums of small numbers are more accurate.
  return {tokens, pseudo_locations_ + center + torch::matmul(psi, context.x - center)};
}

Prediction TePtTnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                            const torch::Tensor& target_x) {
  LocatedTokens context{embedding_(context_y), context_x};
  LocatedTokens targets{target_token_.expand({target_x.size(0), target_x.size(1), -1}), target_x};
  LocatedTokens pseudo = PseudoTokens(context);
  for (size_t i = 0; i < gather_->size(); ++i) {
    const LocatedTokens next = gather_->at<TeBlockImpl>(i).forward(pseudo, context);
    const LocatedTokens keys{next.z, separate_reads_ ? next.x : pseudo.x};
    targets = read_->at<TeBlockImpl>(i).forward(targets, keys);
    if (i + 1 < gather_->size()) context = spread_->at<TeBlockImpl>(i).forward(context, keys);
    pseudo = next;
  }
  return head_(targets.z.unsqueeze(0));
}

}  // namespace haplospin
