#include "learning/processes/gaussian_process.h"

#include <fmt/format.h>
#include <torch/autograd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/nn/optimization/optimizer.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr double kLearningRate = 0.1;
constexpr double kStartNoise = 0.3;  // relative to the outputs' deviation
constexpr double kMinNoise = 1e-3;
// Standard deviations of the priors on the logarithms of the parameters: without priors, a few points would be fitted
// without any noise.
constexpr double kLengthscalePrior = 1.5, kVariancePrior = 1.5, kNoisePrior = 1.5;
constexpr std::array<double, 3> kStarts = {0.3, 1.0, 0.1};  // starting lengthscales, relative to the inputs' range
constexpr double kLeastGain = 1e-3;                         // of the log-likelihood, within kPatience steps
constexpr int64_t kPatience = 30;
constexpr int64_t kMaxFittedObservations = 512;
constexpr uint64_t kFittedRows = 71;         // key of the random draws
constexpr int64_t kMaxObservations = 20000;  // a covariance of 3.2 GB
const std::array<const char*, 4> kNames = {"se", "periodic", "matern52", "linear"};

// Covariance as a function of tensors, so that a fit can differentiate it. All parameters are positive.
struct KernelTensors {
  Tensor lengthscale;           // [dx] or [1]; of several functions [b, 1, dx]
  Tensor smoothness, variance;  // numbers; of several functions [b, 1, 1]
};

Tensor Covariance(GpKernel kernel, const KernelTensors& p, const Tensor& x1, const Tensor& x2) {
  if (kernel == GpKernel::kLinear) {
    return p.variance * (1 + torch::matmul(x1 / p.lengthscale, (x2 / p.lengthscale).transpose(-2, -1)));
  }
  const Tensor d = (x1.unsqueeze(-2) - x2.unsqueeze(-3)) / p.lengthscale.unsqueeze(-2);  // [.., n, m, dx]
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

// Returns the variance of the function at each point, [n].
Tensor PriorVariance(const GpParameters& p, const Tensor& x) {
  Tensor variance = torch::full({x.size(0)}, p.variance, x.options());
  if (p.kernel != GpKernel::kLinear) return variance;
  return variance * (1 + (x / torch::tensor(p.lengthscale, x.options())).square().sum(-1));
}

Tensor OutputCovariance(const GpParameters& p, int64_t dy) {
  if (p.outputs.empty()) return torch::eye(dy, torch::kFloat64);
  HS_ASSERT(static_cast<int64_t>(p.outputs.size()) == dy * dy);
  return torch::tensor(p.outputs, torch::kFloat64).view({dy, dy});
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

// The ranges of the data that a Gaussian process is fitted to.
struct FitScale {
  Tensor range;          // inputs, [dx]
  double deviation = 1;  // root mean square of the outputs

  FitScale(const Tensor& x, const Tensor& y) {
    range = std::get<0>(x.max(0)) - std::get<0>(x.min(0));
    range = torch::where(range > 0, range, torch::ones_like(range));
    const double square = y.square().mean().item<double>();
    if (square > 0) deviation = std::sqrt(square);
  }
};

// The parameters of a fit. All are logarithms, except the factor of the covariance of the outputs.
struct FreeParameters {
  Tensor log_lengthscale, log_smoothness, log_variance, log_noise;
  Tensor output_factor;  // [dy, dy]; undefined with one output

  FreeParameters(const FitScale& scale, double start, int64_t dy) {
    log_lengthscale = (scale.range * start).log().requires_grad_(true);
    log_smoothness = torch::zeros({1}, torch::kFloat64).requires_grad_(true);
    log_variance = torch::full({1}, 2 * std::log(scale.deviation), torch::kFloat64).requires_grad_(true);
    log_noise = torch::full({1}, std::log(kStartNoise * scale.deviation), torch::kFloat64).requires_grad_(true);
    if (dy > 1) output_factor = torch::eye(dy, torch::kFloat64).requires_grad_(true);
  }

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
  const Tensor factor = StableCholesky(all + noise * torch::eye(all.size(0), torch::kFloat64));
  const Tensor flat = y.reshape({-1, 1});
  const Tensor whitened = torch::linalg_solve_triangular(factor, flat, /*upper=*/false);
  return 0.5 * whitened.square().sum() + factor.diagonal().log().sum();
}

// Minus the logarithm of the priors, normal in the logarithms of the parameters: a lengthscale of a third of the range,
// outputs that are mostly signal. They hardly matter with more than a few points, and keep the others within bounds.
Tensor Penalty(const FreeParameters& free, const FitScale& scale) {
  const auto of = [](const Tensor& logarithm, const Tensor& expected, double deviation) {
    return 0.5 * ((logarithm - expected) / deviation).square().sum();
  };
  const double deviation = std::log(scale.deviation);
  const auto number = [](double value) { return torch::full({1}, value, torch::kFloat64); };
  return of(free.log_lengthscale, (scale.range / 3).log(), kLengthscalePrior) +
         of(free.log_variance, number(2 * deviation), kVariancePrior) +
         of(free.log_noise, number(deviation + std::log(kStartNoise / 2)), kNoisePrior) +
         of(free.log_smoothness, number(0), kLengthscalePrior);
}

struct Fit {
  GpParameters parameters;
  double loss = std::numeric_limits<double>::infinity();
};

// Adam from one start until the likelihood has not grown for a while; the best of all its steps.
Fit FitFrom(double start, const FitScale& scale, const Tensor& x, const Tensor& y, const GpFitOptions& options) {
  FreeParameters free(scale, start, y.size(1));
  AdamW adam(free.List(options.kernel));
  Fit best;
  const auto starts = static_cast<int64_t>(kStarts.size());
  int64_t last_gain = 0;
  double loss_then = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < std::max<int64_t>(1, options.iterations / starts); ++i) {
    const Tensor loss = NegativeLogMarginal(free, options.kernel, x, y) + Penalty(free, scale);
    const double value = loss.item<double>();
    if (!std::isfinite(value)) break;
    if (value < best.loss) best = {free.Values(options.kernel), value};
    if (value < loss_then - kLeastGain) {
      loss_then = value;
      last_gain = i;
    }
    if (i - last_gain >= kPatience) break;
    adam.ZeroGrad();
    loss.backward();
    adam.Step(kLearningRate);
  }
  return best;
}

}  // namespace

GpKernel ParseGpKernel(const std::string& name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<GpKernel>(i);
  }
  throw InputError(fmt::format("unknown kernel '{}'; expected se, periodic, matern52 or linear", name));
}

Tensor GpCovariance(const GpParameters& parameters, const Tensor& x1, const Tensor& x2) {
  return Covariance(parameters.kernel, ToTensors(parameters, x1.options()), x1, x2);
}

torch::Tensor GpCovariances(std::span<const GpParameters> parameters, const Tensor& x) {
  Tensor covariances = torch::empty({x.size(0), x.size(1), x.size(1)}, x.options());
  for (size_t kernel = 0; kernel < kNames.size(); ++kernel) {
    std::vector<int64_t> functions;  // those with this kernel
    std::vector<double> lengthscale, smoothness, variance;
    for (size_t b = 0; b < parameters.size(); ++b) {
      const GpParameters& p = parameters[b];
      if (p.kernel != static_cast<GpKernel>(kernel)) continue;
      functions.push_back(static_cast<int64_t>(b));
      lengthscale.insert(lengthscale.end(), p.lengthscale.begin(), p.lengthscale.end());
      smoothness.push_back(p.smoothness);
      variance.push_back(p.variance);
    }
    if (functions.empty()) continue;
    const auto count = static_cast<int64_t>(functions.size());
    const auto per_function = [&](const std::vector<double>& values) {
      return torch::tensor(values, torch::kFloat64).view({count, 1, -1}).to(x.options());
    };
    const KernelTensors tensors{per_function(lengthscale), per_function(smoothness), per_function(variance)};
    const Tensor index = torch::tensor(functions, torch::kInt64).to(x.device());
    const Tensor points = x.index_select(0, index);
    covariances.index_copy_(0, index, Covariance(static_cast<GpKernel>(kernel), tensors, points, points));
  }
  return covariances;
}

Prediction GpPosterior(const GpParameters& p, const Tensor& context_x, const Tensor& context_y,
                       const Tensor& target_x) {
  CheckSize(context_y);
  const Tensor cx = context_x.to(torch::kFloat64), tx = target_x.to(torch::kFloat64);
  const int64_t n = tx.size(0), dy = context_y.size(1);
  const Tensor outputs = OutputCovariance(p, dy);
  const Tensor prior = PriorVariance(p, tx).unsqueeze(1) * outputs.diagonal() + p.noise * p.noise;  // [n, dy]
  if (cx.size(0) == 0) return {torch::zeros({1, 1, n, dy}, torch::kFloat64), prior.sqrt().view({1, 1, n, dy})};
  const Tensor observed = WithOutputs(GpCovariance(p, cx, cx), outputs);
  const Tensor factor = StableCholesky(observed + p.noise * p.noise * torch::eye(observed.size(0), torch::kFloat64));
  const Tensor cross = WithOutputs(GpCovariance(p, cx, tx), outputs);  // [m dy, n dy]
  const Tensor whitened = torch::linalg_solve_triangular(factor, cross, /*upper=*/false);
  const Tensor y =
      torch::linalg_solve_triangular(factor, context_y.to(torch::kFloat64).reshape({-1, 1}), /*upper=*/false);
  const Tensor mean = torch::matmul(whitened.t(), y).view({1, 1, n, dy});
  const Tensor explained = whitened.square().sum(0).view({n, dy});
  const Tensor variance = (prior - explained).clamp_min(p.noise * p.noise);
  return {mean, variance.sqrt().view({1, 1, n, dy})};
}

GpParameters FitGaussianProcess(const Tensor& context_x, const Tensor& context_y, const GpFitOptions& options) {
  CheckSize(context_y);
  const torch::AutoGradMode watch(true);
  Tensor x = context_x.detach().to(torch::kFloat64), y = context_y.detach().to(torch::kFloat64);
  const int64_t most = std::max<int64_t>(2, kMaxFittedObservations / y.size(1));
  if (x.size(0) > most) {
    RandomStream random(0, {kFittedRows});
    const Tensor rows = torch::tensor(RandomOrder<int64_t>(x.size(0), random)).narrow(0, 0, most);
    x = x.index_select(0, rows);
    y = y.index_select(0, rows);
  }
  const FitScale scale(x, y);
  Fit best{{.kernel = options.kernel, .noise = kStartNoise}};
  for (const double start : kStarts) {
    Fit fit = FitFrom(start, scale, x, y, options);
    if (fit.loss < best.loss) best = std::move(fit);
  }
  return best.parameters;
}

Prediction GaussianProcess::Predict(const Tensor& context_x, const Tensor& context_y, const Tensor& target_x) {
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < context_x.size(0); ++b) {
    predictions.push_back(GpPosterior(parameters_, context_x[b], context_y[b], target_x[b]));
  }
  const Prediction all = Join(predictions, 1);
  return {all.mean.to(target_x.scalar_type()), all.sd.to(target_x.scalar_type())};
}

std::shared_ptr<ProcessPredictor> FittedGaussianProcess::FitTo(const Tensor& context_x, const Tensor& context_y) {
  GpParameters parameters{.kernel = options_.kernel, .noise = kStartNoise};
  if (context_x.size(0) > 1) parameters = FitGaussianProcess(context_x, context_y, options_);
  return std::make_shared<GaussianProcess>(std::move(parameters));
}

Prediction FittedGaussianProcess::Predict(const Tensor& context_x, const Tensor& context_y, const Tensor& target_x) {
  std::vector<Prediction> predictions;
  for (int64_t b = 0; b < context_x.size(0); ++b) {
    const auto task = [b](const Tensor& points) { return points.narrow(0, b, 1); };
    predictions.push_back(FitTo(context_x[b], context_y[b])->Predict(task(context_x), task(context_y), task(target_x)));
  }
  return Join(predictions, 1);
}

torch::Tensor StableCholesky(const torch::Tensor& matrices) {
  const auto [factor, info] = torch::linalg_cholesky_ex(matrices);
  if (info.max().item<int>() == 0) return factor;
  const torch::Tensor eye = torch::eye(matrices.size(-1), matrices.options());
  const torch::Tensor scale = matrices.detach().diagonal(0, -2, -1).mean(-1).unsqueeze(-1).unsqueeze(-1);
  torch::Tensor failed = info, jitter = torch::zeros_like(scale);
  for (double level = 1e-10; level <= 1e-2; level *= 10) {
    jitter = torch::where(failed.view_as(scale) != 0, level * scale, jitter);
    const auto [next, still_failed] = torch::linalg_cholesky_ex(matrices + jitter * eye);
    if (still_failed.max().item<int>() == 0) return next;
    failed = still_failed;
  }
  throw InputError("the covariance of a Gaussian process is not positive definite; are x and y finite?");
}

}  // namespace haplospin
