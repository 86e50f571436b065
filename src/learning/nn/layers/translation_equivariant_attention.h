// Attention whose weights depend on differences of locations only (Ashman et al., 2024, section 3): TE-MHSA where
// queries and keys are the same tokens, TE-MHCA where they are not.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "learning/nn/layers/mlp.h"

namespace haplospin {

struct PairAttentionInputs {
  torch::Tensor queries;  // [b, heads, n, e]
  torch::Tensor keys;     // [b, heads, m, e]
  torch::Tensor values;   // [b, heads, m, v]
  torch::Tensor query_x;  // [b, n, dx]
  torch::Tensor key_x;    // [b, m, dx]
  // Weights and biases of the MLP [heads + dx (1 + 2 f)] -> [heads] (eq. 8). Besides the difference of two locations it
  // reads the sines and cosines of that difference at f frequencies: angles pi / 2, pi, 2 pi, .. per unit.
  std::vector<torch::Tensor> rho;
  std::vector<torch::Tensor> phi;  // MLP [heads] -> [heads] (eq. 10); empty: locations stay
};

struct PairAttentionResult {
  torch::Tensor output;   // [b, heads, n, v]
  torch::Tensor query_x;  // [b, n, dx]: updated as in eq. 10 with C = 1/m
};

// weights = softmax over the keys of rho(scale q.k for each head, x_n - x_m). Where there is no key, the output is 0
// and locations stay. `block_bytes`, or a share of a GPU's free memory if that is more, bounds one hidden layer of the
// pairs: where it is larger, a block of queries is processed at a time, and again in the backward pass, of which there
// are no gradients then.
PairAttentionResult PairAttention(const PairAttentionInputs& inputs, double scale, int64_t block_bytes);

struct TeAttentionOptions {
  int64_t width = 128;  // width of tokens; a multiple of `heads`
  int64_t heads = 8;
  int64_t locations = 1;         // dx
  int64_t kernel_width = 128;    // hidden layers of rho and phi
  int64_t frequencies = 0;       // f
  bool update_locations = true;  // eq. 10
  int64_t block_bytes = int64_t{64} << 20;
};

class TeAttentionImpl : public torch::nn::Module {
 public:
  explicit TeAttentionImpl(const TeAttentionOptions& options);

  // queries [b, n, width] at query_x [b, n, dx], keys [b, m, width] at key_x [b, m, dx] -> [b, n, width] and the new
  // query_x.
  std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& queries, const torch::Tensor& query_x,
                                                  const torch::Tensor& keys, const torch::Tensor& key_x);

 private:
  TeAttentionOptions options_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  Mlp rho_{nullptr}, phi_{nullptr};
};
TORCH_MODULE(TeAttention);

}  // namespace haplospin
