// What NPT and the Set Transformer have in common.
#pragma once

#include <torch/nn/modules/container/modulelist.h>

#include <cstdint>
#include <vector>

#include "haplospin/errors.h"
#include "learning/models/table_model.h"

namespace haplospin {

// Attention between datapoints (ABD; NPT, section 2.4) at width d e and between attributes (ABA, section 2.5) at width
// e, in turn. `Layer` is a module that transforms a set, [b, n, w] -> [b, n, w], and whose Weights(set, rows) are the
// attention of some elements to all, mean over its heads, [b, r, n].
template <typename Layer>
class AlternatingNetwork : public torch::nn::Module {
 public:
  // Predicts every entry of the table, [n, d, c] as AttributeHeads gives them.
  torch::Tensor forward(const MaskedTable& table) {
    return heads_(Transform(table, [](Layer&, const torch::Tensor&) {}));
  }

  // The attention of each of `rows` (int64 [b]) to the n rows of the table: mean over heads and layers, [b, n].
  torch::Tensor DatapointWeights(const MaskedTable& table, const torch::Tensor& rows) {
    std::vector<torch::Tensor> weights;
    Transform(table, [&](Layer& layer, const torch::Tensor& datapoints) {
      weights.push_back(layer.Weights(datapoints, rows).squeeze(0));
    });
    return torch::stack(weights).mean(0);
  }

 protected:
  // make_layer(options of its MABs, whether it is between datapoints) makes a layer.
  template <typename MakeLayer>
  AlternatingNetwork(const TableModelOptions& options, const AttributeEmbeddingOptions& embedding, bool normalize_keys,
                     const MakeLayer& make_layer) {
    HS_ASSERT(options.depth > 0 && options.depth % 2 == 0);
    embedding_ = register_module("embedding", AttributeEmbedding(embedding));
    layers_ = register_module("layers", torch::nn::ModuleList());
    for (int64_t i = 0; i < options.depth; ++i) {
      const bool between_datapoints = i % 2 == 0;
      const int64_t width = between_datapoints ? std::ssize(options.attributes) * options.width : options.width;
      MabOptions mab = PaperMab(options, width, width);
      mab.normalize_keys = normalize_keys;
      layers_->push_back(make_layer(mab, between_datapoints));
    }
    heads_ = register_module("heads", AttributeHeads(options.attributes, options.width, options.share_classes));
  }

  AttributeEmbedding embedding_{nullptr};
  torch::nn::ModuleList layers_;  // ABD, ABA, ABD, ...
  AttributeHeads heads_{nullptr};

 private:
  // The entries after all layers, [n, d, e]; at_datapoints(layer, its input [1, n, d e]) is called for each ABD layer.
  template <typename Visit>
  torch::Tensor Transform(const MaskedTable& table, const Visit& at_datapoints) {
    torch::Tensor entries = embedding_(table);
    const int64_t width = entries.size(2);
    for (size_t i = 0; i < layers_->size(); ++i) {
      auto& layer = layers_->at<Layer>(i);
      if (i % 2 == 0) {
        const torch::Tensor datapoints = Unfold(entries);
        at_datapoints(layer, datapoints);
        entries = Fold(layer.forward(datapoints), width);
      } else {
        entries = layer.forward(entries);
      }
    }
    return entries;
  }
};

}  // namespace haplospin
