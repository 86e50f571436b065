// The Set Transformer (Lee et al., 2018) on tables, in the form that SPIN's experiments compare against.
#pragma once

#include <torch/nn/pimpl.h>

#include <cstdint>

#include "learning/models/alternating_network.h"
#include "learning/nn/layers/mab.h"

namespace haplospin {

// Induced set attention: ISAB(X) = MAB(X, MAB(I, X)) with its own learned inducing points I.
class IsabImpl : public torch::nn::Module {
 public:
  IsabImpl(const MabOptions& options, int64_t inducing_points);

  // Transforms a set, [b, n, w] -> [b, n, w], in time linear in n.
  torch::Tensor forward(const torch::Tensor& set);

  // The weight of each element of the set for each of `rows` (int64 [r]) through the inducing points: the product of
  // both attentions, each the mean over its heads, [b, r, n].
  torch::Tensor Weights(const torch::Tensor& set, const torch::Tensor& rows);

 private:
  torch::Tensor inducing_points_;  // [1, h, w]
  Mab gather_{nullptr}, scatter_{nullptr};
};
TORCH_MODULE(Isab);

struct SetTransformerOptions : TableModelOptions {
  int64_t inducing_points = 10;    // h: of the layers between datapoints
  int64_t latent_attributes = 10;  // f: inducing points of the layers between attributes
  // Applies the queries' LayerNorm to keys and values. Without it the loss on wide tables grew to many times its
  // initial value; the figures for genotypes (docs/spin.md) are without it.
  bool normalize_keys = false;
};

// NPT with an ISAB instead of each attention. With two blocks where NPT has one it has about twice NPT's parameters, as
// in SPIN's tables: 33.4 M for the genomic windows, 336.0 M for Boston housing, 102.6 M for breast cancer.
class SetTransformerImpl : public AlternatingNetwork<IsabImpl> {
 public:
  explicit SetTransformerImpl(const SetTransformerOptions& options);
};
TORCH_MODULE(SetTransformer);

}  // namespace haplospin
