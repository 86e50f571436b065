// SPIN, NPT and the Set Transformer on the token tables of genotype windows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/spin.h"
#include "models/table_model.h"
#include "token_imputation/token_window.h"

namespace haplospin {

// All that determines the layers and their sizes. The defaults are those of SPIN's table 7: NPT-16, Set-TF-16, SPIN-16.
struct TokenNetworkOptions {
  std::string architecture = "spin";  // spin, npt or set-transformer
  TokenShape shape;
  bool share_classes = false;  // one vocabulary for all tokens: what a model needs that windows share
  int64_t width = 16;          // e
  int64_t depth = 4;
  int64_t heads = 1;
  int64_t inducing_points = 10;    // h; not of NPT
  int64_t latent_attributes = 10;  // f; not of NPT
  std::string layers = "all";      // of SPIN's encoder: all, xabd or xaba (table 6)
  double dropout = 0.1;            // while training
  // The weights before training, with share_classes: of SPIN with f as many as tokens, or of NPT with e > K.
  bool starts_as_smoother = false;
};

// The options as JSON text and back. Reading throws InputError, naming `source`, for what is no such text or is out of
// bounds.
std::string ToJson(const TokenNetworkOptions& options);
TokenNetworkOptions TokenNetworkFromJson(const std::string& text, const std::string& source);

// Whether a file's "architecture" is one of these.
bool IsTokenArchitecture(const std::string& architecture);

class TokenNetwork {
 public:
  // `max_bytes` bounds the memory that predictions take beside the table itself (RowsWithin()).
  TokenNetwork(const TokenNetworkOptions& options, int64_t max_bytes);

  const TokenNetworkOptions& options() const { return options_; }
  TableModel& module() { return *model_; }
  bool is_spin() const { return spin_ != nullptr; }

  // Rows that fit into `max_bytes` at once, at least 2: an estimate from the widths of the layers. While training, each
  // row's intermediate results are kept.
  int64_t RowsWithin(int64_t max_bytes, bool training) const;

  // The logits of the query's rows, [q, d, c], given the context's. SPIN encodes the context; the query's rows do not
  // see each other. The others take both as one table.
  torch::Tensor Predict(const MaskedTable& context, const MaskedTable& query);

  // SPIN alone: the inducing points of a context, and predictions from them.
  torch::Tensor Encode(const MaskedTable& context);
  torch::Tensor PredictFrom(const MaskedTable& query, const torch::Tensor& inducing_points);

 private:
  TokenNetworkOptions options_;
  std::shared_ptr<TableModel> model_;
  SpinImpl* spin_ = nullptr;  // the same, where it is one
};

}  // namespace haplospin
