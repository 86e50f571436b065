// SPIN: the semi-parametric inducing point network (Rastogi et al., 2023).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "learning/models/table_model.h"

namespace haplospin {

struct SpinOptions : TableModelOptions {
  int64_t inducing_points = 10;    // h
  int64_t latent_attributes = 10;  // f
  // The sublayers of an encoder layer (section 3.2.1). Without XABD the encoder does not use the table and returns the
  // learned H_D; the other two sublayers have no effect then and are omitted.
  bool xaba = true;
  bool xabd = true;
  bool abla = true;
  // Makes the predictor of a SPIN without XABD MAB(X_query, H_A) of width e, H_A being the latent attributes of the
  // query's own row, as in the published model with XABA alone. The predictor between rows, of width d e, has most of
  // SPIN's weights.
  bool predict_within_rows = false;
  // Applies a LayerNorm to keys and values. Without it training on tables is unstable: the loss repeatedly grew to many
  // times its initial value; the figures for genotypes (docs/spin.md) are without it.
  bool normalize_keys = false;
  // Rows that are embedded, encoded and predicted at a time (0: all). When training on a larger table, activations of a
  // block and of the XABD of a layer are not kept for the backward pass but computed again.
  int64_t rows_per_block = 0;
};

// Encoder layers, one for two of `depth` (section 3.2.1, equations in that order):
//   H'_A = XABA(H_A, D) = MAB(H_A, D)                               per datapoint, f latent attributes attend to d
//   H_D  = XABD(H_D, H'_A) = fold(MAB(unfold(H_D), unfold(H'_A)))   h inducing points attend to n datapoints
//   H_A  = ABLA(H'_A) = MAB(H'_A, H'_A)                             not in the last layer: its H_A would not be used
// The first H_A is a learned linear map of D along the attributes, the first H_D is learned. The predictor is
//   FF(fold(MAB(unfold(X_query), unfold(H_D)))) with FF linear (AttributeHeads).
//
// Encoding takes time and memory linear in n; predicting from H_D takes none that depends on n. In addition to one
// block of rows, the memory is that of the latent attributes of each layer, f e numbers for each row, and of the
// predictions.
//
// Parameters against SPIN's tables 7, 11 and 12, with h = f = 10, W_res in each block and ABLA: 8.05 M for 8.1 M
// (genomic windows, e = 16, depth 4), 126.7 M for 127.2 M (Boston housing, e = 128, depth 8), 16.9 M for 16.9 M (breast
// cancer, e = 32, depth 8). The remaining 0.4 % of Boston housing are not explained by the text; two more blocks of
// width e would match.
class SpinImpl : public torch::nn::Module {
 public:
  explicit SpinImpl(const SpinOptions& options);

  // The table is both the context and the query.
  torch::Tensor forward(const MaskedTable& table) { return Predict(table, Encode(table)); }

  // The inducing points H_D [h, f, e] of a table, the only input of Predict() besides the query.
  torch::Tensor Encode(const MaskedTable& table);

  // Predictions for each row of `query`, [b, d, c]; the rows do not attend to each other.
  torch::Tensor Predict(const MaskedTable& query, const torch::Tensor& inducing_points);

  // The attention of each row of `query` to the inducing points, [heads, b, h] (appendix A.8). Not for a predictor
  // within rows.
  torch::Tensor PredictorWeights(const MaskedTable& query, const torch::Tensor& inducing_points);

  // The weight of each of the n rows of `context` for each row of `query` through the inducing points: the product of
  // the predictor's attention and of the last XABD's, each the mean over its heads, [b, n]. Only for a SPIN with XABD.
  torch::Tensor ContextWeights(const MaskedTable& context, const MaskedTable& query);

 private:
  // Initial weights with which SPIN predicts by similarity, before any training: latent attributes are the attributes;
  // inducing points are the means of the datapoints in random directions, then of those similar to the first means (two
  // steps of a soft k-means); and a prediction is the mean of the inducing points similar to the query. A randomly
  // initialized model of many tables needs very many steps to learn to look up datapoints.
  void StartAsSmoother(const torch::Tensor& classes);

  using Tensors = std::vector<torch::Tensor>;
  using RowFunction = std::function<Tensors(const MaskedTable& rows, const Tensors& inputs)>;

  bool IsMoreThanOneBlock(const MaskedTable& table) const;

  // The results of `function` for all rows, computed block by block.
  Tensors InBlocks(const MaskedTable& table, const Tensors& inputs, const RowFunction& function);

  // Returns the latent attributes H'_A of each layer, [n, f, e].
  Tensors LatentAttributes(const MaskedTable& rows);

  torch::Tensor PredictBlock(const MaskedTable& query, const torch::Tensor& inducing_points);

  SpinOptions options_;
  AttributeEmbedding embedding_{nullptr};
  torch::nn::Linear reduce_attributes_{nullptr};  // d -> f
  torch::Tensor inducing_points_;                 // [h, f, e]
  torch::nn::ModuleList xaba_, xabd_, abla_;
  Mab predictor_{nullptr};
  AttributeHeads heads_{nullptr};
};
TORCH_MODULE(Spin);

}  // namespace haplospin
