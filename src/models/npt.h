// The non-parametric transformer (Kossen et al., 2021).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/pimpl.h>

#include <functional>

#include "models/table_model.h"

namespace haplospin {

// Alternates attention between datapoints (ABD, section 2.4) at width d e and between attributes (ABA, section 2.5) at
// width e. The LayerNorm is applied to keys and values, too, as in eq. 4; the published implementation normalizes the
// queries only. Memory and time grow with n^2 d e.
//
// Parameters: the defaults give the counts of SPIN's tables 7, 11 and 12 to within 0.2 %: 16.7 M for the genomic
// windows, 168.0 M for Boston housing (12 continuous, 1 binary feature and the target; e = 128, depth 8) and 51.3 M for
// breast cancer (30 features and the class; e = 32, depth 8).
class NptImpl : public torch::nn::Module {
 public:
  explicit NptImpl(const TableModelOptions& options);
  // Predicts every entry of the table, [n, d, c] as AttributeHeads gives them.
  torch::Tensor forward(const MaskedTable& table);

  // The attention of each of `rows` (int64 [b]) to the n rows of the table: mean over heads and layers, [b, n].
  torch::Tensor DatapointWeights(const MaskedTable& table, const torch::Tensor& rows);

 private:
  // Initial weights with which NPT predicts by similarity, before any training: a masked entry is the mean of that
  // entry in datapoints that are similar to its own and have it unmasked. Datapoints that mask the same entry get less
  // weight: otherwise a datapoint would be most similar to itself, and learn nothing.
  void StartAsSmoother(const torch::Tensor& classes, const torch::Tensor& mask, int64_t d);

  // The entries after all layers, [n, d, e]; `at_datapoints` is called with each ABD layer and its input, [1, n, d e].
  torch::Tensor Transform(const MaskedTable& table,
                          const std::function<void(MabImpl&, const torch::Tensor&)>& at_datapoints);

  AttributeEmbedding embedding_{nullptr};
  torch::nn::ModuleList layers_;  // ABD, ABA, ABD, ...
  AttributeHeads heads_{nullptr};
};
TORCH_MODULE(Npt);

}  // namespace haplospin
