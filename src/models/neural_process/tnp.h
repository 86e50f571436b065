// Transformer neural processes (Nguyen and Grover, 2022, the diagonal form; Feng et al., 2023, LBANP; Ashman et al.,
// 2024, sections 2.3, 2.4 and F.1).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "models/neural_process/gaussian_head.h"
#include "nn/layers/mab.h"
#include "nn/layers/mlp.h"

namespace haplospin {

// z = q + MHA(LN(q), LN(k)); z + MLP(LN(z)), the MLP with two hidden layers (appendix F.1).
class AttentionBlockImpl : public torch::nn::Module {
 public:
  AttentionBlockImpl(int64_t width, int64_t heads);

  // queries [b, n, width], keys [b, m, width] -> [b, n, width]. Where m is 0, the attention adds nothing.
  torch::Tensor forward(const torch::Tensor& queries, const torch::Tensor& keys);

 private:
  MultiHeadAttention attention_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr}, mlp_norm_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(AttentionBlock);

// Context tokens from [x, y, 1], target tokens from [x, 0, 0]; each layer's block serves the context's self-attention
// and the targets' cross-attention to the context.
class Tnp : public NeuralProcess {
 public:
  explicit Tnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;

 private:
  Mlp embedding_{nullptr};
  torch::nn::ModuleList blocks_;
  GaussianHead head_{nullptr};
};

enum class PseudoTokenStyle {
  kInducedSet,  // IST: pseudo-tokens read the context, then the context and the targets read them
  kPerceiver,   // LBANP: pseudo-tokens read the context, then each other; the targets read them
};

// Linear in the number of context points: M learned pseudo-tokens stand between context and targets.
class PtTnp : public NeuralProcess {
 public:
  PtTnp(const ProcessOptions& options, PseudoTokenStyle style);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;

 private:
  PseudoTokenStyle style_;
  torch::Tensor pseudo_tokens_;  // [1, M, width]
  Mlp embedding_{nullptr};
  torch::nn::ModuleList gather_, spread_;
  GaussianHead head_{nullptr};
};

}  // namespace haplospin
