#include "learning/models/hopular.h"

#include <algorithm>
#include <cmath>

#include "haplospin/errors.h"
#include "learning/models/table_model.h"

namespace haplospin {
namespace {

// The published value, with which a value says far more than its place.
constexpr double kPlaceDeviation = 0.1;

torch::nn::Linear LinearWithoutBias(int64_t from, int64_t to) {
  return torch::nn::Linear(torch::nn::LinearOptions(from, to).bias(false));
}

torch::nn::LayerNorm Norm(int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(1e-12));
}

// True if row i of own_row [b] may use row j of n: all rows except its own. [1, b, n]
torch::Tensor OtherRows(const torch::Tensor& own_row, int64_t n) {
  return (own_row.unsqueeze(1) != torch::arange(n, own_row.options()).unsqueeze(0)).unsqueeze(0);
}

}  // namespace

HopfieldNetworksImpl::HopfieldNetworksImpl(const HopfieldOptions& options) : options_(options) {
  HS_ASSERT(options.width > 0 && options.association_width > 0 && options.networks > 0);
  const int64_t width = options.association_width * options.networks;
  state_ = register_module("state", LinearWithoutBias(options.width, width));
  stored_ = register_module("stored", LinearWithoutBias(options.width, width));
  values_ = register_module("values", LinearWithoutBias(options.width, width));
  retrieved_ = register_module("retrieved", LinearWithoutBias(width, options.width));
}

// W_xi = W_X makes a state close to the patterns similar to it. With W_V = W_X and W_S proportional to W_X^T, W_S W_V
// is the identity on average, and the retrieved pattern is the mean of these patterns.
void HopfieldNetworksImpl::StartAsSmoother(double gain) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor& patterns = stored_->weight;  // [h M, width]
  state_->weight.copy_(patterns);
  values_->weight.copy_(patterns);
  retrieved_->weight.copy_(patterns.t() *
                           (gain * static_cast<double>(patterns.size(1)) / patterns.square().sum().item<double>()));
}

torch::Tensor HopfieldNetworksImpl::forward(const torch::Tensor& states, const torch::Tensor& stored,
                                            const torch::Tensor& mask) {
  const torch::Tensor heads_mask = mask.defined() ? mask.unsqueeze(1) : mask;
  const auto split = [&](const torch::Tensor& projected) { return SplitHeads(projected, options_.networks); };
  const torch::Tensor associated =
      Attention(split(state_(states)), split(stored_(stored)), split(values_(stored)), heads_mask, options_.beta,
                {.block_bytes = options_.block_bytes, .dropout = is_training() ? options_.dropout : 0.0});
  return retrieved_(associated.transpose(1, 2).flatten(2));
}

torch::Tensor HopfieldNetworksImpl::Weights(const torch::Tensor& states, const torch::Tensor& stored,
                                            const torch::Tensor& mask) {
  return AttentionWeights(SplitHeads(state_(states), options_.networks), SplitHeads(stored_(stored), options_.networks),
                          mask.defined() ? mask.unsqueeze(1) : mask, options_.beta);
}

HopularImpl::HopularImpl(const HopularOptions& options) : options_(options) {
  HS_ASSERT(options.blocks > 0 && options.networks > 0 && options.width > 0);
  const auto d = static_cast<int64_t>(options.attributes.size());
  const int64_t e = options.width;
  // Values need a large norm: otherwise rows would hardly differ for H_s.
  embedding_ = register_module(
      "embedding",
      AttributeEmbedding(AttributeEmbeddingOptions{
          .attributes = options.attributes, .width = e, .long_values = true, .place_deviation = kPlaceDeviation}));
  embedding_norm_ = register_module("embedding_norm", Norm(e));
  const double bound = 1.0 / std::sqrt(static_cast<double>(e));
  embedding_weights_ = register_parameter("embedding_weights", torch::empty({d, e, e}).uniform_(-bound, bound));
  embedding_biases_ = register_parameter("embedding_biases", torch::empty({d, e}).uniform_(-bound, bound));
  input_dropout_ = register_module("input_dropout", Dropout(options.input_dropout));

  sample_norms_ = register_module("sample_norms", torch::nn::ModuleList());
  sample_networks_ = register_module("sample_networks", torch::nn::ModuleList());
  feature_norms_ = register_module("feature_norms", torch::nn::ModuleList());
  feature_networks_ = register_module("feature_networks", torch::nn::ModuleList());
  const auto networks = [&](int64_t width, int64_t association_width) {
    return HopfieldNetworks(HopfieldOptions{.width = width,
                                            .association_width = association_width,
                                            .networks = options.networks,
                                            .beta = 1.0 / std::sqrt(static_cast<double>(association_width)),
                                            .dropout = options.block_dropout,
                                            .block_bytes = options.block_bytes});
  };
  const int64_t h =
      options.association_width > 0 ? options.association_width : std::max<int64_t>(1, d * e / options.networks);
  for (int64_t i = 0; i < options.blocks; ++i) {
    sample_norms_->push_back(Norm(d * e));
    sample_networks_->push_back(networks(d * e, h));
    feature_norms_->push_back(Norm(e));
    feature_networks_->push_back(networks(e, std::max<int64_t>(1, e / options.networks)));
    // The norm of the mean of d unrelated vectors is 1 / sqrt(d) of theirs: in wide tables the features would have
    // little effect.
    feature_networks_->at<HopfieldNetworksImpl>(static_cast<size_t>(i))
        .StartAsSmoother(std::sqrt(static_cast<double>(d)));
  }
  row_norm_ = register_module("row_norm", Norm(d * e));
  output_dropout_ = register_module("output_dropout", Dropout(options.output_dropout));
  heads_ = register_module("heads", AttributeHeads(options.attributes, d * e));
}

torch::Tensor HopularImpl::Embed(const MaskedTable& rows) {
  const torch::Tensor entries = embedding_norm_(input_dropout_(torch::gelu(embedding_(rows))));
  return torch::matmul(entries.transpose(0, 1), embedding_weights_).transpose(0, 1) + embedding_biases_;
}

torch::Tensor HopularImpl::Refine(const MaskedTable& rows, const MaskedTable& memory, const torch::Tensor& own_row,
                                  std::vector<torch::Tensor>* weights) {
  const torch::Tensor original = Embed(rows);
  const torch::Tensor stored = Unfold(Embed(memory));
  const torch::Tensor mask = own_row.defined() ? OtherRows(own_row, stored.size(1)) : torch::Tensor();
  torch::Tensor entries = original;
  for (size_t i = 0; i < sample_networks_->size(); ++i) {
    auto& sample_norm = sample_norms_->at<torch::nn::LayerNormImpl>(i);
    auto& sample_networks = sample_networks_->at<HopfieldNetworksImpl>(i);
    const torch::Tensor states = sample_norm.forward(Unfold(entries));
    const torch::Tensor patterns = sample_norm.forward(stored);
    if (weights != nullptr) weights->push_back(sample_networks.Weights(states, patterns, mask).squeeze(0).mean(0));
    entries = Fold(states + sample_networks.forward(states, patterns, mask), options_.width);
    auto& feature_norm = feature_norms_->at<torch::nn::LayerNormImpl>(i);
    const torch::Tensor features = feature_norm.forward(entries);
    entries =
        features + feature_networks_->at<HopfieldNetworksImpl>(i).forward(features, feature_norm.forward(original));
  }
  return entries;
}

torch::Tensor HopularImpl::forward(const MaskedTable& rows, const MaskedTable& memory, const torch::Tensor& own_row) {
  const torch::Tensor entries = Refine(rows, memory, own_row, nullptr);
  return heads_->FromRows(row_norm_(output_dropout_(torch::gelu(entries)).flatten(1)));
}

torch::Tensor HopularImpl::MemoryWeights(const MaskedTable& rows, const MaskedTable& memory) {
  std::vector<torch::Tensor> weights;
  Refine(rows, memory, {}, &weights);
  return torch::stack(weights).mean(0);
}

}  // namespace haplospin
