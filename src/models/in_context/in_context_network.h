// A network that is trained on very many small tables and then corrects what Gaussian processes predict for rows of
// another table (kernel_fits.h), in one forward pass over rows with labels as TabPFN (Hollmann et al., 2025) and TabICL
// (Qu et al., 2025), with SPIN's inducing points between rows.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "models/in_context/in_context_layer.h"
#include "nn/layers/mlp.h"

namespace haplospin {

struct InContextOptions {
  int64_t width = 64;
  int64_t depth = 6;
  int64_t heads = 4;
  int64_t inducing_points = 16;
};

void to_json(nlohmann::json& json, const InContextOptions& options);
void from_json(const nlohmann::json& json, InContextOptions& options);

// Whether a network can be built with them.
bool AreValid(const InContextOptions& options);

// Fewer numbers than its weights are.
double MinWeights(const InContextOptions& options);

class InContextNetworkImpl : public torch::nn::Module {
 public:
  explicit InContextNetworkImpl(const InContextOptions& options);

  const InContextOptions& options() const { return options_; }

  // Everything that a prediction needs of the rows with labels: for each layer. Rows do not stand in an order, and
  // neither do columns. Of b tables of one size: cells [b, c, d, kCellInputs], labels [b, c, kLabelInputs + kFitInputs]
  // (cell_inputs.h, kernel_fits.h). Time is linear in c; label cells attend to at most 2,048 others, evenly spaced
  // ones. Without gradients, large tables are computed in blocks.
  std::vector<LayerContext> Encode(const torch::Tensor& cells, const torch::Tensor& labels);

  // What is added to the logits of rows, which do not attend to each other: kMaxClasses of classes, then kNumberBins of
  // numbers. cells [b, t, d, kCellInputs], labels [b, t, kLabelInputs + kFitInputs] -> [b, t, ..]. 0 before training.
  torch::Tensor Predict(const std::vector<LayerContext>& context, const torch::Tensor& cells,
                        const torch::Tensor& labels);

 private:
  torch::Tensor Embed(const torch::Tensor& cells, const torch::Tensor& labels);

  InContextOptions options_;
  Mlp embed_cells_{nullptr}, embed_labels_{nullptr}, head_{nullptr};
  torch::nn::ModuleList layers_;
  torch::nn::LayerNorm norm_{nullptr};
};
TORCH_MODULE(InContextNetwork);

}  // namespace haplospin
