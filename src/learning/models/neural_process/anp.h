// Attentive neural processes (Kim et al., 2019; Lee et al., 2020) and inducing point neural processes (Rastogi et al.,
// 2023, section 3.3, tables 16 and 17). CANP, BANP and ANP attend between all context points, CIPNP and IPNP from
// learned inducing points to the context. As in the published code, all of them are trained to predict the context
// points as well as the targets.
#pragma once

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>

#include "learning/models/neural_process/neural_process.h"
#include "learning/nn/layers/mlp.h"

namespace haplospin {

// Projects q, k and v without biases: o = LN(q + Att(q, k, v)), heads side by side; LN(o + relu(o W + b)). Scores
// are divided by the square root of the full width. (The published code; the text has q before its projection.)
class AnpBlockImpl : public torch::nn::Module {
 public:
  AnpBlockImpl(int64_t width, int64_t heads);

  // [b, n, width], [b, m, width], [b, m, width] -> [b, n, width]. If m is 0, the attention adds nothing.
  torch::Tensor forward(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values);

 private:
  // The arguments are projected.
  torch::Tensor Attend(const torch::Tensor& queries, const torch::Tensor& keys, const torch::Tensor& values) const;

  int64_t heads_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr};
  torch::nn::LayerNorm attention_norm_{nullptr}, linear_norm_{nullptr};
  torch::nn::Linear linear_{nullptr};
};
TORCH_MODULE(AnpBlock);

// The representation of the context after attention: m points, or one for each inducing point (XABD) if there are any.
class ContextEncoderImpl : public torch::nn::Module {
 public:
  ContextEncoderImpl(const ProcessOptions& options, int64_t inducing_points);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y);

 private:
  Mlp embedding_{nullptr};
  torch::Tensor inducing_points_;  // [1, h, width]; undefined: self-attention
  AnpBlock block_{nullptr};
};
TORCH_MODULE(ContextEncoder);

// Maps the context to a representation for each target, [b, n, width].
class CrossEncoderImpl : public torch::nn::Module {
 public:
  CrossEncoderImpl(const ProcessOptions& options, int64_t inducing_points);

  torch::Tensor forward(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x);

 private:
  bool has_inducing_points_;
  Mlp queries_{nullptr}, keys_{nullptr};  // keys_ is null where inducing points are the keys
  ContextEncoder context_{nullptr};
  AnpBlock cross_{nullptr};
};
TORCH_MODULE(CrossEncoder);

// Maps the whole context to one vector, [b, output].
class PoolingEncoderImpl : public torch::nn::Module {
 public:
  PoolingEncoderImpl(const ProcessOptions& options, int64_t inducing_points, int64_t output);

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& y);

 private:
  ContextEncoder context_{nullptr};
  Mlp output_{nullptr};
};
TORCH_MODULE(PoolingEncoder);

// Maps [x, representation for the target, representation of the whole context] to a Gaussian.
class AnpDecoderImpl : public torch::nn::Module {
 public:
  // `extra` is the width of a second representation that is added after the first layer (BANP); 0: none.
  AnpDecoderImpl(const ProcessOptions& options, int64_t extra);

  Prediction forward(const torch::Tensor& target_x, const torch::Tensor& code, const torch::Tensor& extra = {});

 private:
  torch::nn::Linear first_{nullptr}, extra_{nullptr};
  GaussianHead head_{nullptr};
};
TORCH_MODULE(AnpDecoder);

// CANP (no inducing points) and CIPNP.
class ConditionalAnp : public NeuralProcess {
 public:
  // `extra` as AnpDecoder's.
  ConditionalAnp(const ProcessOptions& options, int64_t inducing_points, int64_t extra = 0);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;
  torch::Tensor Loss(const ProcessTasks& tasks) override;

 protected:
  // The representations for each target and of the whole context, [b, n, 2 width].
  torch::Tensor Encode(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x);

  AnpDecoder decoder_{nullptr};

 private:
  CrossEncoder cross_{nullptr};
  PoolingEncoder pooling_{nullptr};
};

// BANP: bootstraps of the context's residuals, each with its own prediction (Lee et al., 2020, section 3). Draws from
// LibTorch's generator.
class BootstrapAnp : public ConditionalAnp {
 public:
  explicit BootstrapAnp(const ProcessOptions& options);
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;

  // -log p without bootstraps, plus -log p of the mixture of all bootstraps.
  torch::Tensor Loss(const ProcessTasks& tasks) override;

 private:
  Prediction Bootstrap(const torch::Tensor& context_x, const torch::Tensor& context_y, const torch::Tensor& target_x,
                       const torch::Tensor& base);

  ProcessOptions options_;
};

// A factorized Gaussian over the latent variable, [b, width] each.
struct LatentGaussian {
  torch::Tensor mean, sd;
};

// KL(q || p), [b]: sum of log(sp / sq) + (sq^2 + (mq - mp)^2) / (2 sp^2) - 1/2.
torch::Tensor KlDivergence(const LatentGaussian& q, const LatentGaussian& p);

// ANP (no inducing points) and IPNP. Draws from LibTorch's generator.
class LatentAnp : public NeuralProcess {
 public:
  LatentAnp(const ProcessOptions& options, int64_t inducing_points);

  // A mixture with one component for each sample of z from p(z | context).
  Prediction Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                     const torch::Tensor& target_x) override;

  // Minus the evidence lower bound, over the number of points (appendix A.6): the mean over samples of z from q(z |
  // context, targets) of -log p(y | z, context), plus KL(q || p(z | context)).
  torch::Tensor Loss(const ProcessTasks& tasks) override;

  LatentGaussian Latent(const torch::Tensor& x, const torch::Tensor& y);

 private:
  Prediction Decode(const ProcessTasks& tasks, const LatentGaussian& latent, int64_t samples);

  ProcessOptions options_;
  CrossEncoder cross_{nullptr};
  PoolingEncoder latent_{nullptr};
  AnpDecoder decoder_{nullptr};
};

}  // namespace haplospin
