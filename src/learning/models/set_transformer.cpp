#include "learning/models/set_transformer.h"

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

SetTransformerImpl::SetTransformerImpl(const SetTransformerOptions& options)
    : AlternatingNetwork(options, EmbeddingOptions(options), options.normalize_keys,
                         [&](const MabOptions& mab, bool between_datapoints) {
                           return Isab(mab, between_datapoints ? options.inducing_points : options.latent_attributes);
                         }) {}

}  // namespace haplospin
