// SPIN, the semi-parametric inducing point network (Rastogi et al., 2023).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "models/attribute_embedding.h"
#include "models/attribute_heads.h"
#include "models/table_model.h"

namespace haplospin {

// Where a layer has its self-attention between latent attributes.
enum class AblaPlacement {
  kNone,
  kAfterXabd,   // section 3.2.1; the last layer has none, for nothing would read its output
  kBeforeXabd,  // the published implementation
};

struct SpinOptions : TableModelOptions {
  int64_t inducing_points = 10;    // h
  int64_t latent_attributes = 10;  // f
  // The sublayers that an encoder layer has (section 3.2.1). Without XABD the encoder learns nothing from the table and
  // hands on the learned H_D; the other two then have nothing to do and are left out too.
  bool xaba = true;
  bool xabd = true;
  AblaPlacement abla = AblaPlacement::kAfterXabd;
  // Keys and values through a LayerNorm. Without it training on tables is unstable: the loss grew to many times that of
  // the start again and again; the figures for genotypes (docs/spin.md) are without it.
  bool normalise_keys = false;
  // Rows that are embedded, encoded and predicted at a time (0: all). In training on a larger table neither a block
  // nor a layer's XABD keeps anything for the backward pass, which computes them again.
  int64_t rows_per_block = 0;
};

// Encoder layers, one for two of `depth` (section 3.2.1, equations in that order):
//   H'_A = XABA(H_A, D) = MAB(H_A, D)                               per datapoint, f latent attributes attend to d
//   H_D  = XABD(H_D, H'_A) = fold(MAB(unfold(H_D), unfold(H'_A)))   h inducing points attend to n datapoints
//   H_A  = ABLA(H'_A) = MAB(H'_A, H'_A)
// The first H_A is a learned linear map of D along the attributes, the first H_D is learned. The predictor is
//   FF(fold(MAB(unfold(X_query), unfold(H_D)))) with FF linear (AttributeHeads).
//
// Encoding takes time and memory linear in n; predicting from H_D takes none that depends on n. Beside one block of
// rows the memory is that of the latent attributes of each layer, f e numbers for each row, and of the predictions.
//
// Parameters against SPIN's tables 7, 11 and 12, with h = f = 10, W_res in each block and ABLA: 8.05 M for 8.1 M
// (genomic windows, e = 16, depth 4), 126.7 M for 127.2 M (Boston housing, e = 128, depth 8), 16.9 M for 16.9 M (breast
// cancer, e = 32, depth 8). The text does not say where Boston's last 0.4 % are; two more blocks of width e would be
// them.
class SpinImpl : public TableModel {
 public:
  explicit SpinImpl(const SpinOptions& options);

  // The table is both what is encoded and what is predicted.
  torch::Tensor forward(const MaskedTable& table) override { return Predict(table, Encode(table)); }

  // The inducing points H_D [h, f, e] of a table: all that Predict() needs.
  torch::Tensor Encode(const MaskedTable& table);

  // The learned H_D as it stands, for prediction without encoding.
  torch::Tensor LearnedInducingPoints() const { return inducing_points_; }

  // Predictions for each row of `query`, [b, d, c]; the rows do not see each other.
  torch::Tensor Predict(const MaskedTable& query, const torch::Tensor& inducing_points);

  // Which inducing points each row of `query` attends to, [heads, b, h] (appendix A.8).
  torch::Tensor PredictorWeights(const MaskedTable& query, const torch::Tensor& inducing_points);

  // How much each row of `query` takes from each of the n rows of `context` by way of the inducing points: the product
  // of the predictor's attention and of the last XABD's, each the mean over its heads, [b, n]. For a SPIN with XABD.
  torch::Tensor ContextWeights(const MaskedTable& context, const MaskedTable& query);

 private:
  // Starting weights with which SPIN predicts by likeness, before any training: latent attributes are the attributes;
  // inducing points are means of the datapoints that lie in random directions, then of those that are like the first
  // means (two steps of a soft k-means); and a prediction is the mean of the inducing points like the query. From a
  // random start a model of many tables finds out only after very many steps that it may look anything up.
  void StartAsSmoother(const torch::Tensor& classes);

  using Tensors = std::vector<torch::Tensor>;
  using RowFunction = std::function<Tensors(const MaskedTable& rows, const Tensors& inputs)>;

  bool IsMoreThanOneBlock(const MaskedTable& table) const;

  // The results of `function` for all rows, taken block by block.
  Tensors InBlocks(const MaskedTable& table, const Tensors& inputs, const RowFunction& function);

  // H'_A of each layer, [n, f, e].
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
