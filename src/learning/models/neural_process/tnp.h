// Transformer neural processes (Nguyen and Grover, 2022, the diagonal form; Feng et al., 2023, LBANP; Ashman et al.,
// 2024, sections 2.3, 2.4, 3 and F.1).
#pragma once

#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include <utility>

#include "learning/models/neural_process/neural_process.h"
#include "learning/nn/layers/mab.h"
#include "learning/nn/layers/mlp.h"
#include "learning/nn/layers/translation_equivariant_attention.h"

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

// Tokens and their locations.
struct LocatedTokens {
  torch::Tensor z;  // [b, n, width]
  torch::Tensor x;  // [b, n, dx]
};

// AttentionBlock with TeAttention as the attention. The block of the last layer does not update locations,
// because they are not used afterwards.
class TeBlockImpl : public torch::nn::Module {
 public:
  TeBlockImpl(const ProcessOptions& options, bool is_last);

  // The attention adds nothing and locations are unchanged where there are no keys.
  LocatedTokens forward(const LocatedTokens& queries, const LocatedTokens& keys);

 private:
  TeAttention attention_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr}, mlp_norm_{nullptr};
  Mlp mlp_{nullptr};
};
TORCH_MODULE(TeBlock);

// Context tokens from y, one learned token for all targets. In each layer (figure 1b) the context attends to itself,
// and the targets to the context's new tokens at its old locations, with the same weights.
class TeTnp : public NeuralProcess {
 public:
  explicit TeTnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }

 private:
  torch::Tensor target_token_;  // [1, 1, width]
  Mlp embedding_{nullptr};
  torch::nn::ModuleList blocks_;
  GaussianHead head_{nullptr};
};

// TE-TNP with M pseudo-tokens in the IST style, at the locations v = v0 + sum_n psi(u, z_n) x_n (eq. 11), psi the
// weights of one head of attention from pseudo-tokens to context; or psi = 1/N where weigh_pseudo_locations is off.
// With an empty context there are no pseudo-tokens: nothing says where they are.
class TePtTnp : public NeuralProcess {
 public:
  explicit TePtTnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  bool IsTranslationEquivariant() const override { return true; }

 private:
  LocatedTokens PseudoTokens(const LocatedTokens& context);

  torch::Tensor target_token_;                                         // [1, 1, width]
  torch::Tensor pseudo_tokens_;                                        // [1, M, width]
  torch::Tensor pseudo_locations_;                                     // [1, M, dx]
  torch::nn::Linear location_query_{nullptr}, location_key_{nullptr};  // psi; null where it is 1/N
  Mlp embedding_{nullptr};
  torch::nn::ModuleList gather_;  // pseudo-tokens attend to the context
  torch::nn::ModuleList spread_;  // the context to the pseudo-tokens
  torch::nn::ModuleList read_;    // targets to the pseudo-tokens
  bool separate_reads_;           // false: read_ is spread_
  GaussianHead head_{nullptr};
};

}  // namespace haplospin
