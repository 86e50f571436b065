// One layer of a network that predicts rows of any table from rows with labels.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>

#include "nn/layers/mab.h"

namespace haplospin {

struct InContextLayerOptions {
  int64_t width = 64;  // e
  int64_t heads = 4;
  int64_t inducing_points = 16;  // h
};

// What the rows of a context tell others in a layer.
struct LayerContext {
  torch::Tensor points;  // [b (d + 1), h, e]: inducing points of each column
  torch::Tensor labels;  // [b, c, e]: label cells; of a part of many rows
};

// Cells are [b, n, d + 1, e], of b tables; the last column is that of the label. In turn:
//   the cells of a row attend to each other (between columns);
//   in each column inducing points attend to the cells of the context, and all cells to these points (SPIN's XABD and
//   predictor, for each column with the same weights: time is linear in the rows);
//   the label cell of a row attends to those of the context.
// No weight belongs to a column or to a row.
class InContextLayerImpl : public torch::nn::Module {
 public:
  explicit InContextLayerImpl(const InContextLayerOptions& options);

  // For any rows.
  torch::Tensor BetweenColumns(const torch::Tensor& cells);

  // For the context's cells after BetweenColumns(), or some of its columns.
  torch::Tensor Gather(const torch::Tensor& cells);

  // For any rows after BetweenColumns(). First for the context itself, whose label cells are then `labels`.
  torch::Tensor ReadPoints(const torch::Tensor& cells, const torch::Tensor& points);
  torch::Tensor ReadLabels(const torch::Tensor& cells, const torch::Tensor& labels);

 private:
  torch::Tensor inducing_points_;  // [h, e]
  Mab between_columns_{nullptr}, gather_{nullptr}, read_points_{nullptr}, read_labels_{nullptr};
};
TORCH_MODULE(InContextLayer);

}  // namespace haplospin
