// Networks that predict rows of a table from a context, rows whose values are known: SPIN, NPT, the Set Transformer and
// Hopular behind one interface, for windows of genotypes and for tables of any kind.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>

#include "learning/models/context_network_options.h"
#include "learning/nn/layers/attributes.h"
#include "learning/nn/layers/masking.h"

namespace haplospin {

// The options of a network that depend on the table and its use.
struct ContextNetworkTable {
  Attributes attributes;
  bool share_classes = false;      // AttributeEmbeddingOptions::share_classes
  bool long_values = false;        // AttributeEmbeddingOptions::long_values
  bool normalize_keys = false;     // SpinOptions::normalize_keys; NPT always does it
  torch::Tensor smoothed_classes;  // TableModelOptions::smoothed_classes
  int64_t rows_per_block = 0;      // SpinOptions::rows_per_block
};

// A context as a network predicts from it.
struct EncodedContext {
  MaskedTable rows;               // empty where the inducing points are all that is known
  torch::Tensor inducing_points;  // [h, f, e] of an architecture that encodes; else undefined
};

class ContextNetwork : public torch::nn::Module {
 public:
  // A training pass: predictions [b, d, c] for the rows of `batch`, in which entries to predict are masked. An
  // architecture that trains from memory (Hopular) predicts from `memory` [m, d], all visible, where the rows
  // themselves stand at `own_row` (int64 [b], -1: nowhere); the others predict from the visible entries of the batch.
  virtual torch::Tensor Train(const MaskedTable& batch, const MaskedTable& memory, const torch::Tensor& own_row) = 0;

  virtual EncodedContext Encode(const MaskedTable& rows) { return {rows, {}}; }

  // Predictions for `query`, whose targets are masked, [b, d, c]. With NPT and the Set Transformer the rows of a query
  // see each other too; with SPIN and Hopular they do not.
  virtual torch::Tensor Predict(const EncodedContext& context, const MaskedTable& query) = 0;

  // The attention of each row of `query` to each row of the context, [b, n]: mean over heads and layers.
  virtual torch::Tensor ContextWeights(const EncodedContext& context, const MaskedTable& query) = 0;
};

// Makes a network with random weights from LibTorch's generator.
std::shared_ptr<ContextNetwork> MakeContextNetwork(const ContextNetworkOptions& options,
                                                   const ContextNetworkTable& table);

// Rows of d attributes that fit into `max_bytes` at once, at least 2: an estimate from the widths of the layers. While
// training, each row's intermediate results are kept.
int64_t RowsWithin(const ContextNetworkOptions& options, int64_t d, int64_t max_bytes, bool training);

// Returns the rows of both tables, one after the other.
MaskedTable JoinRows(const MaskedTable& first, const MaskedTable& second);

// Numbers of MABs that a row passes through at the width of its d attributes, and at that of its f latent attributes.
struct BlockCounts {
  int64_t row = 0, latent = 0;
};

struct Architecture {
  const char* name;  // used in options and model files

  bool encodes;             // Encode() makes inducing points, which are all that Predict() needs of a context
  bool trains_from_memory;  // ContextNetwork::Train() predicts from its `memory`
  bool masks_chunks;        // training on tables hides all targets of some rows rather than some targets of all rows
  bool heads_divide_width;  // the width must be a multiple of the heads

  std::shared_ptr<ContextNetwork> (*make)(const ContextNetworkOptions& options, const ContextNetworkTable& table);

  // The numbers in training, or in predicting one block of rows at a time.
  BlockCounts (*blocks)(const ContextNetworkOptions& options, bool training);

  // A lower bound of the number of weights of a network for d attributes.
  double (*min_weights)(const ContextNetworkOptions& options, double d);

  // Tells whether a network can start as a smoother (TableModelOptions) on d attributes whose classes' vectors have
  // this rank.
  bool (*can_start_as_smoother)(const ContextNetworkOptions& options, int64_t d, int64_t rank);
};

// Returns null if the name is unknown.
const Architecture* FindArchitecture(const std::string& name);

// The architecture of valid options.
const Architecture& FindArchitecture(const ContextNetworkOptions& options);

}  // namespace haplospin
