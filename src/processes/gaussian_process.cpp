#include "processes/gaussian_process.h"

#include <fmt/format.h>
#include <torch/autograd.h>

#include <array>
#include <cmath>
#include <numbers>

#include "haplospin/errors.h"
#include "nn/optimization/adam.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr auto kDouble = torch::kFloat64;
constexpr double kFirstJitter = 1e-10, kLastJitter = 1e-2;
constexpr double kMinNoise = 1e-3;           // of a fit
constexpr int64_t kMaxObservations = 20000;  // their covariance takes 3.2 GB
const std::array<const char*, 3> kNames = {"se", "periodic", "matern52"};

// Covariance as a function of tensors, so that a fit can differentiate it. All parameters are positive.
struct KernelTensors {
  Tensor lengthscale;  // [dx] or [1]
  Tensor smoothness, variance;
};

Tensor Covariance(GpKernel kernel, const KernelTensors& p, const Tensor& x1, const Tensor& x2) {
  const Tensor d = (x1.unsqueeze(-2) - x2.unsqueeze(-3)) / p.lengthscale;  // [.., n, m, dx]
  if (kernel == GpKernel::kPeriodic) {
    const Tensor sines = (std::numbers::pi * d).sin().square().sum(-1);
    return p.variance * (-2 * sines / p.smoothness.square()).exp();
  }
  const Tensor squared = d.square().sum(-1);
  if (kernel == GpKernel::kSquaredExponential) return p.variance * (-0.5 * squared).exp();
  const Tensor r = (5 * squared + 1e-20).sqrt();  // the root has no gradient at 0
  return p.variance * (1 + r + r.square() / 3) * (-r).exp();
}

KernelTensors ToTensors(const GpParameters& p, const torch::TensorOptions& options) {
  return {torch::tensor(p.lengthscale, options), torch::tensor(p.smoothness, options),
          torch::tensor(p.variance, options)};
}

Tensor OutputCovariance(const GpParameters& p, int64_t dy) {
  if (p.outputs.empty()) return torch::eye(dy, kDouble);
  HS_ASSERT(static_cast<int64_t>(p.outputs.size()) == dy * dy);
  return torch::tensor(p.outputs, kDouble).view({dy, dy});
}

// Covariance of all outputs at all points, the outputs of a point adjacent: [n dy, m dy].
Tensor WithOutputs(const Tensor& covariance, const Tensor& outputs) { return torch::kron(covariance, outputs); }

void CheckSize(const Tensor& context_y) {
  if (context_y.numel() <= kMaxObservations) return;
  throw InputError(
      fmt::format("an exact Gaussian process needs the covariance of all observations; {} are too many (at most {}): "
                  "use a neural process such as te-pt-tnp or ipnp",
                  context_y.numel(), kMaxObservations));
}

// The parameters of a fit. All are logarithms, except the factor of the covariance of the outputs.
struct FreeParameters {
  Tensor log_lengthscale, log_smoothness, log_variance, log_noise;
  Tensor output_factor;  // [dy, dy]; undefined with one output

  FreeParameters(int64_t dx, int64_t dy) {
    const auto number = [](double value, int64_t count) {
      return torch::full({count}, std::log(value), kDouble).requires_grad_(true);
    };
    const GpParameters start = Start();
    log_lengthscale = number(start.lengthscale[0], dx);
    log_smoothness = number(start.smoothness, 1);
    log_variance = number(start.variance, 1);
    log_noise = number(start.noise, 1);
    if (dy > 1) output_factor = torch::eye(dy, kDouble).requires_grad_(true);
  }

  static GpParameters Start() { return {.lengthscale = {1.0}, .smoothness = 1.0, .variance = 1.0, .noise = 0.3}; }

  std::vector<NamedParameter> List(GpKernel kernel) const {
    std::vector<NamedParameter> list{
        {"lengthscale", log_lengthscale}, {"variance", log_variance}, {"noise", log_noise}};
    if (kernel == GpKernel::kPeriodic) list.push_back({"smoothness", log_smoothness});
    if (output_factor.defined()) list.push_back({"outputs", output_factor});
    return list;
  }

  Tensor Outputs() const {
    const Tensor factor = output_factor.tril();
    return torch::matmul(factor, factor.t());
  }

  GpParameters Values(GpKernel kernel) const {
    const auto values = [](const Tensor& tensor) {
      const Tensor flat = tensor.detach().contiguous().flatten();
      return std::vector<double>(flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel());
    };
    GpParameters p{.kernel = kernel,
                   .lengthscale = values(log_lengthscale.exp()),
                   .smoothness = log_smoothness.exp().item<double>(),
                   .variance = log_variance.exp().item<double>(),
                   .noise = std::max(log_noise.exp().item<double>(), kMinNoise)};
    if (output_factor.defined()) p.outputs = values(Outputs());
    return p;
  }
};

Tensor NegativeLogMarginal(const FreeParameters& free, GpKernel kernel, const Tensor& x, const Tensor& y) {
  const KernelTensors p{free.log_lengthscale.exp(), free.log_smoothness.exp(), free.log_variance.exp()};
  const Tensor noise = free.log_noise.exp().clamp_min(kMinNoise).square();
  const Tensor points = Covariance(kernel, p, x, x);
  const int64_t dy = y.size(1);
  const Tensor all = dy > 1 ? WithOutputs(points, free.Outputs()) : points;
  const Tensor factor = StableCholesky(all + noise * torch::eye(all.size(0), kDouble));
  const Tensor flat = y.reshape({-1, 1});
  const Tensor whitened = torch::linalg_solve_triangular(factor, flat, /*upper=*/false);
  return 0.5 * whitened.square().sum() + factor.diagonal().log().sum();
}

}  // namespace

GpKernel ParseGpKernel(const std::string& name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<GpKernel>(i);
  }
  throw InputError(fmt::format("unknown kernel '{}'; expected se, periodic or matern52", name));
}

std::string GpKernelName(GpKernel kernel) { return kNames.at(static_cast<size_t>(kernel)); }

Tensor GpCovariance(const GpParameters& parameters, const Tensor& x1, const Tensor& x2) {
  return Covariance(parameters.kernel, ToTensors(parameters, x1.options()), x1, x2);
}

Tensor StableCholesky(const Tensor& matrices) {
  const auto [factor, info] = torch::linalg_cholesky_ex(matrices);
  if (info.max().item<int>() == 0) return factor;
  const Tensor eye = torch::eye(matrices.size(-1), matrices.options());
  const Tensor scale = matrices.detach().diagonal(0, -2, -1).mean(-1).unsqueeze(-1).unsqueeze(-1);
  for (double jitter = kFirstJitter; jitter <= kLastJitter; jitter *= 10) {
    const auto [next, failed] = torch::linalg_cholesky_ex(matrices + jitter * scale * eye);
    if (failed.max().item<int>() == 0) return next;
  }
  throw InputError("the covariance of a Gaussian process is not positive definite; are x and y finite?");
}

Prediction GpPosterior(const GpParameters& p, const Tensor& context_x, const Tensor& context_y,
                       const Tensor& target_x) {
  CheckSize(context_y);
  const Tensor cx = context_x.to(kDouble), tx = target_x.to(kDouble);
  const int64_t n = tx.size(0), dy = context_y.size(1);
  const Tensor outputs = OutputCovariance(p, dy);
  const Tensor prior = (p.variance * outputs.diagonal() + p.noise * p.noise).expand({n, dy});
  if (cx.size(0) == 0) return {torch::zeros({1, 1, n, dy}, kDouble), prior.sqrt().view({1, 1, n, dy})};
  const Tensor observed = WithOutputs(GpCovariance(p, cx, cx), outputs);
  const Tensor factor = StableCholesky(observed + p.noise * p.noise * torch::eye(observed.size(0), kDouble));
  const Tensor cross = WithOutputs(GpCovariance(p, cx, tx), outputs);  // [m dy, n dy]
  const Tensor whitened = torch::linalg_solve_triangular(factor, cross, /*upper=*/false);
  const Tensor y = torch::linalg_solve_triangular(factor, context_y.to(kDouble).reshape({-1, 1}), /*upper=*/false);
  const Tensor mean = torch::matmul(whitened.t(), y).view({1, 1, n, dy});
  const Tensor explained = whitened.square().sum(0).view({n, dy});
  const Tensor variance = (prior - explained).clamp_min(p.noise * p.noise);
  return {mean, variance.sqrt().view({1, 1, n, dy})};
}

GpParameters FitGaussianProcess(const Tensor& context_x, const Tensor& context_y, const GpFitOptions& options) {
  CheckSize(context_y);
  const torch::AutoGradMode watch(true);
  const Tensor x = context_x.detach().to(kDouble), y = context_y.detach().to(kDouble);
  FreeParameters free(x.size(1), y.size(1));
  AdamW adam(free.List(options.kernel));
  GpParameters best = free.Values(options.kernel);
  double least = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < options.iterations; ++i) {
    const Tensor loss = NegativeLogMarginal(free, options.kernel, x, y);
    const double value = loss.item<double>();
    if (!std::isfinite(value)) break;
    if (value < least) {
      least = value;
      best = free.Values(options.kernel);
    }
    adam.ZeroGrad();
    loss.backward();
    adam.Step(options.learning_rate);
  }
  return best;
}

Prediction FittedGaussianProcess::Predict(const Tensor& context_x, const Tensor& context_y, const Tensor& target_x) {
  std::vector<Tensor> means, sds;
  for (int64_t b = 0; b < context_x.size(0); ++b) {
    GpParameters parameters = FreeParameters::Start();
    parameters.kernel = options_.kernel;
    if (context_x.size(1) > 1) parameters = FitGaussianProcess(context_x[b], context_y[b], options_);
    const Prediction one = GpPosterior(parameters, context_x[b], context_y[b], target_x[b]);
    means.push_back(one.mean);
    sds.push_back(one.sd);
  }
  const auto type = target_x.scalar_type();
  return {torch::cat(means, 1).to(type), torch::cat(sds, 1).to(type)};
}

}  // namespace haplospin
