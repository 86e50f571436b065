// The non-parametric transformer (Kossen et al., 2021).
#pragma once

#include <torch/nn/pimpl.h>

#include "learning/models/alternating_network.h"
#include "learning/nn/layers/mab.h"

namespace haplospin {

// SAB(X) = MAB(X, X).
class SabImpl : public MabImpl {
 public:
  using MabImpl::MabImpl;
  torch::Tensor forward(const torch::Tensor& set) { return MabImpl::forward(set, set); }
  torch::Tensor Weights(const torch::Tensor& set, const torch::Tensor& rows) {
    return MabImpl::Weights(set.index_select(1, rows), set).mean(1);
  }
};
TORCH_MODULE(Sab);

// The LayerNorm is applied to keys and values, too, as in eq. 4; the published implementation normalizes the queries
// only. Memory and time grow with n^2 d e.
//
// Parameters: the defaults give the counts of SPIN's tables 7, 11 and 12 to within 0.2 %: 16.7 M for the genomic
// windows, 168.0 M for Boston housing (12 continuous, 1 binary feature and the target; e = 128, depth 8) and 51.3 M for
// breast cancer (30 features and the class; e = 32, depth 8).
class NptImpl : public AlternatingNetwork<SabImpl> {
 public:
  explicit NptImpl(const TableModelOptions& options);

 private:
  NptImpl(const TableModelOptions& options, const AttributeEmbeddingOptions& embedding);

  // Initial weights with which NPT predicts by similarity, before any training: a masked entry is the mean of that
  // entry in datapoints that are similar to its own and have it unmasked. Datapoints that mask the same entry get less
  // weight: otherwise a datapoint would be most similar to itself, and learn nothing.
  void StartAsSmoother(const torch::Tensor& classes, const torch::Tensor& mask, int64_t d);
};
TORCH_MODULE(Npt);

}  // namespace haplospin
