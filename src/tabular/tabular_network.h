// The four models on tables behind one interface: what they learn from, and what they predict from.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "nn/layers/attributes.h"
#include "nn/layers/masking.h"

namespace haplospin {

// "hopular", "npt", "spin", "set-transformer".
const std::vector<std::string>& TabularModelNames();

// SPIN's rows_per_block: the steps of the presets "small" and "base" are one block.
inline constexpr int64_t kSpinRowsPerBlock = 512;

struct TabularNetworkOptions {
  std::string model = "hopular";
  int64_t width = 16;  // e
  // Layers, half of them between rows and half between attributes; Hopular has depth / 2 blocks of both.
  int64_t depth = 4;
  int64_t heads = 4;               // Hopfield networks in each module of Hopular
  int64_t association_width = 0;   // Hopular's h; 0: d e / M
  double beta_scaling = 1.0;       // Hopular
  int64_t inducing_points = 10;    // SPIN and Set Transformer
  int64_t latent_attributes = 10;  // the same
  double dropout = 0.1;

  nlohmann::json ToJson() const;
  // Throws InputError, naming `source`, where the values are none of these or beyond all reason.
  static TabularNetworkOptions FromJson(const nlohmann::json& json, const std::string& source);
};

// Rows whose targets are known, as a network predicts from them.
struct TabularContext {
  MaskedTable rows;               // empty where SPIN has its inducing points only
  torch::Tensor inducing_points;  // SPIN: [h, f, e]; undefined for the others
};

class TabularNetwork : public torch::nn::Module {
 public:
  // One training pass: predictions [b, d, c] for the rows of `batch`, in which entries to predict are masked. Hopular
  // predicts from `memory` [m, d], all visible, where the rows themselves stand at `own_row` (int64 [b], -1: nowhere);
  // the others predict from the visible entries of the batch.
  virtual torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor& own_row) = 0;
  virtual bool TrainsFromMemory() const { return false; }

  virtual TabularContext Encode(const MaskedTable& rows) { return {rows, {}}; }

  // Predictions for `query`, whose targets are masked, [b, d, c]. With NPT and Set Transformer the rows of a query see
  // each other too; with Hopular and SPIN they do not.
  virtual torch::Tensor Predict(const TabularContext& context, const MaskedTable& query) = 0;

  // How much each row of `query` attends to each row of the context, [b, n]: mean over heads and layers.
  virtual torch::Tensor ContextWeights(const TabularContext& context, const MaskedTable& query) = 0;
};

// Random weights from LibTorch's generator.
std::shared_ptr<TabularNetwork> MakeTabularNetwork(const TabularNetworkOptions& options, const Attributes& attributes);

// The rows of both, one after the other.
MaskedTable JoinRows(const MaskedTable& first, const MaskedTable& second);

}  // namespace haplospin
