#include "models/set_transformer.h"

#include <vector>

#include "haplospin/errors.h"

namespace haplospin {

IsabImpl::IsabImpl(const MabOptions& options, int64_t inducing_points) {
  inducing_points_ = register_parameter("inducing_points", XavierTensor({1, inducing_points, options.query_width}));
  gather_ = register_module("gather", Mab(options));
  scatter_ = register_module("scatter", Mab(options));
}

torch::Tensor IsabImpl::forward(const torch::Tensor& set) {
  const torch::Tensor points = inducing_points_.expand({set.size(0), -1, -1});
  return scatter_(set, gather_(points, set));
}

torch::Tensor IsabImpl::Weights(const torch::Tensor& set, const torch::Tensor& rows) {
  const torch::Tensor points = inducing_points_.expand({set.size(0), -1, -1});
  const torch::Tensor gathered = gather_->Weights(points, set).mean(1);
  return scatter_->Weights(set.index_select(1, rows), gather_(points, set)).mean(1).matmul(gathered);
}

SetTransformerImpl::SetTransformerImpl(const SetTransformerOptions& options) {
  HS_ASSERT(options.depth > 0 && options.depth % 2 == 0);
  const auto d = static_cast<int64_t>(options.attributes.size());
  embedding_ =
      register_module("embedding", AttributeEmbedding(AttributeEmbeddingOptions{.attributes = options.attributes,
                                                                                .width = options.width,
                                                                                .share_classes = options.share_classes,
                                                                                .long_values = options.long_values,
                                                                                .dropout = options.hidden_dropout}));
  layers_ = register_module("layers", torch::nn::ModuleList());
  for (int64_t i = 0; i < options.depth; ++i) {
    const bool between_datapoints = i % 2 == 0;
    const int64_t width = between_datapoints ? d * options.width : options.width;
    MabOptions mab = PaperMab(options, width, width);
    mab.normalize_keys = options.normalize_keys;
    layers_->push_back(Isab(mab, between_datapoints ? options.inducing_points : options.latent_attributes));
  }
  heads_ = register_module("heads", AttributeHeads(options.attributes, options.width, options.share_classes));
}

torch::Tensor SetTransformerImpl::Transform(const MaskedTable& table,
                                            const std::function<void(IsabImpl&, const torch::Tensor&)>& at_datapoints) {
  torch::Tensor entries = embedding_(table);
  const int64_t width = entries.size(2);
  for (size_t i = 0; i < layers_->size(); ++i) {
    auto& isab = layers_->at<IsabImpl>(i);
    if (i % 2 == 0 && at_datapoints) at_datapoints(isab, Unfold(entries));
    entries = i % 2 == 0 ? Fold(isab.forward(Unfold(entries)), width) : isab.forward(entries);
  }
  return entries;
}

torch::Tensor SetTransformerImpl::forward(const MaskedTable& table) { return heads_(Transform(table, nullptr)); }

torch::Tensor SetTransformerImpl::DatapointWeights(const MaskedTable& table, const torch::Tensor& rows) {
  std::vector<torch::Tensor> weights;
  Transform(table, [&](IsabImpl& isab, const torch::Tensor& datapoints) {
    weights.push_back(isab.Weights(datapoints, rows).squeeze(0));
  });
  return torch::stack(weights).mean(0);
}

}  // namespace haplospin
