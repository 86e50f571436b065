#include "models/npt.h"

#include <vector>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A vector with the norm of the class vectors that is orthogonal to all of them, [e].
torch::Tensor MaskVector(const torch::Tensor& classes) {
  const auto [left, lengths, axes] = torch::linalg_svd(classes, /*full_matrices=*/true);
  const torch::Tensor free = axes[-1];
  HS_ASSERT(torch::matmul(classes, free).abs().max().item<double>() < 1e-3);
  return free * classes.norm(2, 1).mean();
}

// A reflection of each of d entries along `direction`, [d e, d e].
torch::Tensor ReflectEntries(const torch::Tensor& direction, int64_t d) {
  const torch::Tensor unit = direction / direction.norm();
  const torch::Tensor of_entry = torch::eye(direction.size(0)) - 2 * torch::outer(unit, unit);
  return torch::kron(torch::eye(d), of_entry);
}

}  // namespace

NptImpl::NptImpl(const TableModelOptions& options) {
  HS_ASSERT(options.depth > 0 && options.depth % 2 == 0);
  const auto d = static_cast<int64_t>(options.attributes.size());
  const torch::Tensor& classes = options.smoothed_classes;
  const torch::Tensor mask = classes.defined() ? MaskVector(classes) : torch::Tensor();
  embedding_ =
      register_module("embedding", AttributeEmbedding(AttributeEmbeddingOptions{.attributes = options.attributes,
                                                                                .width = options.width,
                                                                                .share_classes = options.share_classes,
                                                                                .long_values = options.long_values,
                                                                                .class_vectors = classes,
                                                                                .mask_vector = mask,
                                                                                .dropout = options.hidden_dropout}));
  layers_ = register_module("layers", torch::nn::ModuleList());
  for (int64_t i = 0; i < options.depth; ++i) {
    const int64_t width = i % 2 == 0 ? d * options.width : options.width;
    MabOptions mab = PaperMab(options, width, width);
    mab.normalize_keys = true;
    layers_->push_back(Mab(mab));
  }
  heads_ = register_module("heads", AttributeHeads(options.attributes, options.width, options.share_classes));
  if (classes.defined()) StartAsSmoother(classes, mask, d);
}

void NptImpl::StartAsSmoother(const torch::Tensor& classes, const torch::Tensor& mask, int64_t d) {
  const torch::Tensor key_map = ReflectEntries(mask, d);
  for (size_t i = 0; i < layers_->size(); ++i) {
    MabStart start{.attended = i == 0 ? 1.0 : 0.1};
    if (i % 2 == 0) {
      start.gain = 3.0;
      start.key_map = key_map;
    }
    layers_->at<MabImpl>(i).StartAsSmoother(start);
  }
  heads_->StartFrom(classes);
}

torch::Tensor NptImpl::Transform(const MaskedTable& table,
                                 const std::function<void(MabImpl&, const torch::Tensor&)>& at_datapoints) {
  torch::Tensor entries = embedding_(table);
  const int64_t width = entries.size(2);
  for (size_t i = 0; i < layers_->size(); ++i) {
    auto& mab = layers_->at<MabImpl>(i);
    if (i % 2 == 0) {
      const torch::Tensor datapoints = Unfold(entries);
      if (at_datapoints) at_datapoints(mab, datapoints);
      entries = Fold(mab.forward(datapoints, datapoints), width);
    } else {
      entries = mab.forward(entries, entries);
    }
  }
  return entries;
}

torch::Tensor NptImpl::forward(const MaskedTable& table) { return heads_(Transform(table, nullptr)); }

torch::Tensor NptImpl::DatapointWeights(const MaskedTable& table, const torch::Tensor& rows) {
  std::vector<torch::Tensor> weights;
  Transform(table, [&](MabImpl& mab, const torch::Tensor& datapoints) {
    weights.push_back(mab.Weights(datapoints.index_select(1, rows), datapoints).squeeze(0).mean(0));
  });
  return torch::stack(weights).mean(0);
}

}  // namespace haplospin
