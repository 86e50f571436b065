#include "haplospin/models/npt.h"

#include "haplospin/core/errors.h"

namespace haplospin {

NptImpl::NptImpl(const NptOptions& options) {
  HS_ASSERT(options.depth > 0 && options.depth % 2 == 0);
  const auto d = static_cast<std::int64_t>(options.attributes.size());
  embedding_ =
      register_module("embedding", AttributeEmbedding(AttributeEmbeddingOptions{.attributes = options.attributes,
                                                                                .width = options.width,
                                                                                .share_classes = options.share_classes,
                                                                                .dropout = options.hidden_dropout}));
  layers_ = register_module("layers", torch::nn::ModuleList());
  for (std::int64_t i = 0; i < options.depth; ++i) {
    const std::int64_t width = i % 2 == 0 ? d * options.width : options.width;
    MabOptions mab = PaperMab(options, width, width);
    mab.normalise_keys = options.normalise_keys;
    layers_->push_back(Mab(mab));
  }
  heads_ = register_module("heads", AttributeHeads(options.attributes, options.width, options.share_classes));
}

torch::Tensor NptImpl::forward(const MaskedTable& table) {
  torch::Tensor entries = embedding_(table);
  const std::int64_t width = entries.size(2);
  for (std::size_t i = 0; i < layers_->size(); ++i) {
    auto& mab = layers_->at<MabImpl>(i);
    if (i % 2 == 0) {
      const torch::Tensor datapoints = Unfold(entries);
      entries = Fold(mab.forward(datapoints, datapoints), width);
    } else {
      entries = mab.forward(entries, entries);
    }
  }
  return heads_(entries);
}

}  // namespace haplospin
