// Hopular: continuous modern Hopfield networks that store the training set (Schäfl et al., 2022).
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <vector>

#include "learning/models/table_model.h"
#include "learning/nn/layers/attention.h"
#include "learning/nn/layers/dropout.h"

namespace haplospin {

struct HopfieldOptions {
  int64_t width = 0;              // width of the state patterns (queries), of the stored patterns and of the result
  int64_t association_width = 0;  // h, of each network
  int64_t networks = 1;           // M
  double beta = 1.0;
  double dropout = 0.0;  // dropout of the association weights
  int64_t block_bytes = AttentionSettings().block_bytes;
};

// M parallel Hopfield networks, eq. 1 and 2: the sum over networks of W_S W_V X softmax(beta X^T W_X^T W_xi xi). In the
// paper W_V is W_X; in the published implementation values have a projection of their own. Projections have no bias.
class HopfieldNetworksImpl : public torch::nn::Module {
 public:
  explicit HopfieldNetworksImpl(const HopfieldOptions& options);

  // states [b, n, width], stored [b, m, width] -> the retrieved patterns, [b, n, width].
  // mask: undefined, or bool that broadcasts to [b, n, m], true where a state may retrieve a pattern.
  torch::Tensor forward(const torch::Tensor& states, const torch::Tensor& stored, const torch::Tensor& mask = {});

  // The weight of each stored pattern in each network, [b, M, n, m].
  torch::Tensor Weights(const torch::Tensor& states, const torch::Tensor& stored, const torch::Tensor& mask = {});

  // Sets initial weights with which a state retrieves about `gain`
  // times the mean of the patterns similar to it (Nadaraya and Watson, appendix A.7). The product of three random
  // projections would retrieve almost nothing if the networks are narrow.
  void StartAsSmoother(double gain);

 private:
  HopfieldOptions options_;
  torch::nn::Linear state_{nullptr}, stored_{nullptr}, values_{nullptr}, retrieved_{nullptr};  // W_xi, W_X, W_V, W_S
};
TORCH_MODULE(HopfieldNetworks);

struct HopularOptions {
  Attributes attributes;
  int64_t width = 32;             // e: of each attribute's vector
  int64_t blocks = 4;             // L
  int64_t networks = 8;           // M: Hopfield networks in each module
  int64_t association_width = 0;  // h of H_s; 0: d e / M (appendix A.4)
  double input_dropout = 0.1, block_dropout = 0.1, output_dropout = 0.01;
  int64_t block_bytes = AttentionSettings().block_bytes;
};

// Algorithm 1. Embedding (sum of value, position and type, then per attribute GELU, LayerNorm and a linear map, as the
// published implementation has it); L blocks of
//   xi <- LN(xi) + H_s(LN(xi))   the training set is stored: which rows are like this one
//   Xi <- LN(Xi) + H_f(LN(Xi))   the row's own attributes as embedded are stored: what its features say
// with states and stored patterns through the same LayerNorm; and one map from the whole row to all predictions (figure
// A.3). The residual of the normalized state is the published implementation's; algorithm 1 adds to xi itself.
//
// Time and memory grow with (rows predicted) x (rows stored), never with the square of the table.
class HopularImpl : public torch::nn::Module {
 public:
  explicit HopularImpl(const HopularOptions& options);

  // Predictions [b, d, c], as AttributeHeads gives them, for each row of `rows`, independently of each other. `memory`
  // is the training set with its targets. own_row: undefined, or int64 [b], the row of the memory that is the row
  // itself and must not be retrieved, -1 where there is none. A training row must never retrieve itself.
  torch::Tensor forward(const MaskedTable& rows, const MaskedTable& memory, const torch::Tensor& own_row = {});

  // The weight of each row of the memory in what H_s retrieves for each of `rows`: mean over networks and blocks, [b,
  // n].
  torch::Tensor MemoryWeights(const MaskedTable& rows, const MaskedTable& memory);

 private:
  torch::Tensor Embed(const MaskedTable& rows);
  torch::Tensor Refine(const MaskedTable& rows, const MaskedTable& memory, const torch::Tensor& own_row,
                       std::vector<torch::Tensor>* weights);

  HopularOptions options_;
  AttributeEmbedding embedding_{nullptr};
  torch::nn::LayerNorm embedding_norm_{nullptr};
  torch::Tensor embedding_weights_;  // [d, e, e]
  torch::Tensor embedding_biases_;   // [d, e]
  torch::nn::ModuleList sample_norms_, sample_networks_, feature_norms_, feature_networks_;
  torch::nn::LayerNorm row_norm_{nullptr};
  Dropout input_dropout_{nullptr}, output_dropout_{nullptr};
  AttributeHeads heads_{nullptr};
};
TORCH_MODULE(Hopular);

}  // namespace haplospin
