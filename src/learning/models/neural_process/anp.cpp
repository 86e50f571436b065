#include "learning/models/neural_process/anp.h"

#include <algorithm>
#include <cmath>

#include "learning/models/neural_process/cnp.h"
#include "learning/nn/layers/attention.h"

namespace haplospin {
namespace {

constexpr double kInducingPointSd = 3.0;  // initial sd; large enough to tell context points apart

torch::nn::Linear WithoutBias(int64_t width) {
  return torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(false));
}

// The context as targets too, before the other targets.
ProcessTasks AtAllPoints(const ProcessTasks& tasks) {
  return {tasks.context_x, tasks.context_y, torch::cat({tasks.context_x, tasks.target_x}, 1),
          torch::cat({tasks.context_y, tasks.target_y}, 1)};
}

Mlp OneHiddenLayer(int64_t input, int64_t hidden, int64_t output) {
  return Mlp(MlpOptions{.input = input, .hidden = hidden, .output = output, .hidden_layers = 1});
}

// [b, ..] -> [s b, ..], the samples outermost.
torch::Tensor Stack(const torch::Tensor& tensor, int64_t samples) {
  return tensor.unsqueeze(0).expand({samples, -1, -1, -1}).flatten(0, 1);
}

// Rows of [b, m, ..] drawn with replacement, each task on its own.
struct Resampling {
  torch::Tensor index;  // [b, m, 1]

  explicit Resampling(const torch::Tensor& like)
      : index(torch::randint(std::max<int64_t>(like.size(1), 1), {like.size(0), like.size(1), 1},
                             torch::TensorOptions().dtype(torch::kLong).device(like.device()))) {}
  torch::Tensor operator()(const torch::Tensor& rows) const {
    return rows.gather(1, index.expand({-1, -1, rows.size(2)}));
  }
};

}  // namespace

AnpBlockImpl::AnpBlockImpl(int64_t width, int64_t heads) : heads_(heads) {
  query_ = register_module("query", WithoutBias(width));
  key_ = register_module("key", WithoutBias(width));
  value_ = register_module("value", WithoutBias(width));
  attention_norm_ = register_module("attention_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  linear_ = register_module("linear", torch::nn::Linear(width, width));
  linear_norm_ = register_module("linear_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
}

torch::Tensor AnpBlockImpl::forward(const torch::Tensor& queries, const torch::Tensor& keys,
                                    const torch::Tensor& values) {
  torch::Tensor o = query_(queries);
  if (keys.size(1) > 0) o = o + Attend(o, key_(keys), value_(values));
  o = attention_norm_(o);
  return linear_norm_(o + torch::relu(linear_(o)));
}

torch::Tensor AnpBlockImpl::Attend(const torch::Tensor& queries, const torch::Tensor& keys,
                                   const torch::Tensor& values) const {
  const auto split = [&](const torch::Tensor& projected) { return SplitHeads(projected, heads_); };
  const double scale = 1 / std::sqrt(static_cast<double>(queries.size(2)));
  return Attention(split(queries), split(keys), split(values), {}, scale).transpose(1, 2).flatten(2);
}

ContextEncoderImpl::ContextEncoderImpl(const ProcessOptions& options, int64_t inducing_points) {
  embedding_ = register_module("embedding", OneHiddenLayer(options.dx + options.dy, options.width, options.width));
  if (inducing_points > 0) {
    inducing_points_ =
        register_parameter("inducing_points", kInducingPointSd * torch::randn({1, inducing_points, options.width}));
  }
  block_ = register_module("block", AnpBlock(options.width, options.heads));
}

torch::Tensor ContextEncoderImpl::forward(const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor points = embedding_(torch::cat({x, y}, 2));
  if (!inducing_points_.defined()) return block_(points, points, points);
  return block_(inducing_points_.expand({x.size(0), -1, -1}), points, points);
}

CrossEncoderImpl::CrossEncoderImpl(const ProcessOptions& options, int64_t inducing_points)
    : has_inducing_points_(inducing_points > 0) {
  queries_ = register_module("queries", OneHiddenLayer(options.dx, options.width, options.width));
  if (!has_inducing_points_) {
    keys_ = register_module("keys", OneHiddenLayer(options.dx, options.width, options.width));
  }
  context_ = register_module("context", ContextEncoder(options, inducing_points));
  cross_ = register_module("cross", AnpBlock(options.width, options.heads));
}

torch::Tensor CrossEncoderImpl::forward(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                        const torch::Tensor& target_x) {
  const torch::Tensor values = context_(context_x, context_y);
  return cross_(queries_(target_x), has_inducing_points_ ? values : keys_(context_x), values);
}

PoolingEncoderImpl::PoolingEncoderImpl(const ProcessOptions& options, int64_t inducing_points, int64_t output) {
  context_ = register_module("context", ContextEncoder(options, inducing_points));
  output_ = register_module("output", OneHiddenLayer(options.width, options.width, output));
}

torch::Tensor PoolingEncoderImpl::forward(const torch::Tensor& x, const torch::Tensor& y) {
  return output_(MeanOrZero(context_(x, y), 1));
}

AnpDecoderImpl::AnpDecoderImpl(const ProcessOptions& options, int64_t extra) {
  first_ = register_module("first", torch::nn::Linear(options.dx + 2 * options.width, options.width));
  if (extra > 0) extra_ = register_module("extra", torch::nn::Linear(extra, options.width));
  head_ = register_module("head", GaussianHead(options, options.width));
}

Prediction AnpDecoderImpl::forward(const torch::Tensor& target_x, const torch::Tensor& code,
                                   const torch::Tensor& extra) {
  torch::Tensor hidden = first_(torch::cat({target_x, code}, -1));
  if (extra.defined()) hidden = hidden + extra_(extra);
  return head_(torch::relu(hidden));
}

ConditionalAnp::ConditionalAnp(const ProcessOptions& options, int64_t inducing_points, int64_t extra) {
  cross_ = register_module("cross", CrossEncoder(options, inducing_points));
  pooling_ = register_module("pooling", PoolingEncoder(options, inducing_points, options.width));
  decoder_ = register_module("decoder", AnpDecoder(options, extra));
}

torch::Tensor ConditionalAnp::Encode(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                     const torch::Tensor& target_x) {
  const torch::Tensor read = cross_(context_x, context_y, target_x);
  return torch::cat({read, pooling_(context_x, context_y).unsqueeze(1).expand_as(read)}, 2);
}

Prediction ConditionalAnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                   const torch::Tensor& target_x) {
  return decoder_(target_x.unsqueeze(0), Encode(context_x, context_y, target_x).unsqueeze(0));
}

torch::Tensor ConditionalAnp::Loss(const ProcessTasks& tasks) { return NeuralProcess::Loss(AtAllPoints(tasks)); }

BootstrapAnp::BootstrapAnp(const ProcessOptions& options)
    : ConditionalAnp(options, 0, 2 * options.width), options_(options) {}

Prediction BootstrapAnp::Bootstrap(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                   const torch::Tensor& target_x, const torch::Tensor& base) {
  const int64_t samples = is_training() ? options_.train_samples : options_.test_samples;
  const torch::Tensor x = Stack(context_x, samples);
  torch::Tensor y = Stack(context_y, samples);
  if (context_x.size(1) > 0) {
    // Residuals of the context under a bootstrapped context, resampled and centered, give new observations.
    const torch::NoGradGuard no_grad;
    const Resampling resampled(x);
    const Prediction at_context = decoder_(x, Encode(resampled(x), resampled(y), x));
    const torch::Tensor residuals = Resampling(x)((y - at_context.mean) / at_context.sd);
    y = at_context.mean + at_context.sd * (residuals - residuals.mean(1, /*keepdim=*/true));
  }
  const torch::Tensor targets = Stack(target_x, samples);
  const torch::Tensor bootstrapped = Encode(x, y, targets).unflatten(0, {samples, target_x.size(0)});
  return decoder_(targets.unflatten(0, {samples, target_x.size(0)}), base.unsqueeze(0).expand({samples, -1, -1, -1}),
                  bootstrapped);
}

Prediction BootstrapAnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                                 const torch::Tensor& target_x) {
  return Bootstrap(context_x, context_y, target_x, Encode(context_x, context_y, target_x));
}

torch::Tensor BootstrapAnp::Loss(const ProcessTasks& tasks) {
  const ProcessTasks all = AtAllPoints(tasks);
  const torch::Tensor base = Encode(all.context_x, all.context_y, all.target_x);
  const Prediction plain = decoder_(all.target_x.unsqueeze(0), base.unsqueeze(0));
  const Prediction mixture = Bootstrap(all.context_x, all.context_y, all.target_x, base);
  return -LogLikelihood(plain, all.target_y).mean() - LogLikelihood(mixture, all.target_y).mean();
}

torch::Tensor KlDivergence(const LatentGaussian& q, const LatentGaussian& p) {
  const torch::Tensor terms =
      (p.sd / q.sd).log() + (q.sd.square() + (q.mean - p.mean).square()) / (2 * p.sd.square()) - 0.5;
  return terms.sum(-1);
}

LatentAnp::LatentAnp(const ProcessOptions& options, int64_t inducing_points) : options_(options) {
  cross_ = register_module("cross", CrossEncoder(options, inducing_points));
  latent_ = register_module("latent", PoolingEncoder(options, inducing_points, 2 * options.width));
  decoder_ = register_module("decoder", AnpDecoder(options, 0));
}

LatentGaussian LatentAnp::Latent(const torch::Tensor& x, const torch::Tensor& y) {
  const auto parts = latent_(x, y).chunk(2, -1);
  return {parts[0], 0.1 + 0.9 * torch::sigmoid(parts[1])};
}

Prediction LatentAnp::Decode(const ProcessTasks& tasks, const LatentGaussian& latent, int64_t samples) {
  const torch::Tensor read = cross_(tasks.context_x, tasks.context_y, tasks.target_x);
  const int64_t b = read.size(0), n = read.size(1), width = read.size(2);
  const torch::Tensor noise = torch::randn({samples, b, width}, read.options());
  const torch::Tensor z = (latent.mean + latent.sd * noise).unsqueeze(2).expand({-1, -1, n, -1});
  return decoder_(tasks.target_x.unsqueeze(0).expand({samples, -1, -1, -1}),
                  torch::cat({read.unsqueeze(0).expand({samples, -1, -1, -1}), z}, 3));
}

Prediction LatentAnp::Predict(const torch::Tensor& context_x, const torch::Tensor& context_y,
                              const torch::Tensor& target_x) {
  const int64_t samples = is_training() ? options_.train_samples : options_.test_samples;
  return Decode({context_x, context_y, target_x, {}}, Latent(context_x, context_y), samples);
}

torch::Tensor LatentAnp::Loss(const ProcessTasks& tasks) {
  const ProcessTasks all = AtAllPoints(tasks);
  const LatentGaussian prior = Latent(all.context_x, all.context_y);
  const LatentGaussian posterior = Latent(all.target_x, all.target_y);
  const Prediction samples = Decode(all, posterior, options_.train_samples);
  torch::Tensor log_density;  // mean over samples, not of the mixture
  for (int64_t s = 0; s < options_.train_samples; ++s) {
    const Prediction one{samples.mean.narrow(0, s, 1), samples.sd.narrow(0, s, 1)};
    const torch::Tensor term = LogLikelihood(one, all.target_y).mean();
    log_density = log_density.defined() ? log_density + term : term;
  }
  const torch::Tensor kl = KlDivergence(posterior, prior).mean() / static_cast<double>(all.target_x.size(1));
  return kl - log_density / static_cast<double>(options_.train_samples);
}

}  // namespace haplospin
