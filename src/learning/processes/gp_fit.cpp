#include "learning/processes/gp_fit.h"

#include <ATen/ops/cholesky_inverse.h>
#include <torch/autograd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "haplospin/errors.h"
#include "learning/nn/optimization/quasi_newton.h"

namespace haplospin {
namespace {

using torch::Tensor;

// Standard deviations of the priors on the logarithms of the parameters: without priors, a few points would be fitted
// without any noise.
constexpr double kLengthscalePrior = 1.5, kVariancePrior = 1.5, kNoisePrior = 1.5;
constexpr std::array<double, 3> kStarts = {0.3, 1.0, 0.1};  // starting lengthscales, relative to the inputs' range
constexpr int64_t kMaxFittedObservations = 512, kMaxStartObservations = 128;
constexpr uint64_t kFittedRows = 71;  // key of the random draws

// The ranges of the data that a Gaussian process is fitted to.
struct DataScale {
  Tensor range;          // inputs, [dx]
  double deviation = 1;  // root mean square of the outputs

  DataScale(const Tensor& x, const Tensor& y) {
    range = std::get<0>(x.max(0)) - std::get<0>(x.min(0));
    range = torch::where(range > 0, range, torch::ones_like(range));
    const double square = y.square().mean().item<double>();
    if (square > 0) deviation = std::sqrt(square);
  }
};

std::vector<double> ToNumbers(const Tensor& tensor) {
  const Tensor flat = tensor.detach().contiguous().flatten();
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

// The parameters of a fit as one vector. All are logarithms, except the factor of the covariance of the outputs.
struct FreeParameters {
  Tensor all;  // lengthscales, variance, noise, smoothness, and the factor [dy, dy] if there are several outputs
  int64_t dx, dy;

  Tensor log_lengthscale() const { return all.narrow(0, 0, dx); }
  Tensor log_variance() const { return all[dx]; }
  Tensor log_noise() const { return all[dx + 1]; }
  Tensor log_smoothness() const { return all[dx + 2]; }
  Tensor Noise() const { return log_noise().exp().clamp_min(kMinGpNoise); }
  Tensor Outputs() const {
    const Tensor factor = all.narrow(0, dx + 3, dy * dy).view({dy, dy}).tril();
    return torch::matmul(factor, factor.t());
  }

  GpParameters Values(GpKernel kernel) const {
    GpParameters p{.kernel = kernel,
                   .lengthscale = ToNumbers(log_lengthscale().exp()),
                   .smoothness = log_smoothness().exp().item<double>(),
                   .variance = log_variance().exp().item<double>(),
                   .noise = Noise().item<double>()};
    if (dy > 1) p.outputs = ToNumbers(Outputs());
    return p;
  }
};

std::vector<double> StartAt(const Tensor& lengthscale, double variance, double noise, double smoothness,
                            const Tensor& output_factor) {
  std::vector<double> start = ToNumbers(lengthscale.log());
  for (const double value : {variance, noise, smoothness}) start.push_back(std::log(value));
  if (output_factor.size(0) > 1) {
    const std::vector<double> factor = ToNumbers(output_factor);
    start.insert(start.end(), factor.begin(), factor.end());
  }
  return start;
}

// Minus the logarithm of the likelihood of some points times the priors.
class PenalizedLikelihood {
 public:
  PenalizedLikelihood(const Tensor& x, const Tensor& y, const DataScale& scale, GpKernel kernel)
      : x_(x), y_(y), scale_(scale), kernel_(kernel) {
    if (IsStationary(kernel)) {
      squares_ = (x.t().unsqueeze(2) - x.t().unsqueeze(1)).square().flatten(1);  // [dx, n n]
    }
  }

  double operator()(const std::vector<double>& at, std::vector<double>& gradient) const {
    const Tensor all = torch::tensor(at, torch::kFloat64).requires_grad_(true);
    const FreeParameters free{all, x_.size(1), y_.size(1)};
    const Tensor points = Points(free), noise = free.Noise().square();
    const Tensor covariance = free.dy > 1 ? torch::kron(points, free.Outputs()) : points;
    const auto [value, derivative] = Likelihood(covariance.detach(), noise.item<double>());
    if (!std::isfinite(value)) return value;
    const Tensor penalty = Penalty(free);
    ((derivative * covariance).sum() + derivative.trace() * noise + penalty).backward();
    gradient = ToNumbers(all.grad());
    return value + penalty.item<double>();
  }

 private:
  Tensor Points(const FreeParameters& free) const {
    const KernelTensors p{free.log_lengthscale().exp(), free.log_smoothness().exp(), free.log_variance().exp()};
    if (!squares_.defined()) return KernelCovariance(kernel_, p, x_, x_);
    const Tensor squared = (-2 * free.log_lengthscale()).exp().matmul(squares_).view({x_.size(0), x_.size(0)});
    return StationaryCovariance(kernel_, p.variance, squared);
  }

  // Minus the log-likelihood, and its derivative by each entry of the covariance (Rasmussen and Williams, 2006,
  // eq. 5.9).
  std::pair<double, Tensor> Likelihood(const Tensor& covariance, double noise) const {
    const torch::NoGradGuard no_grad;
    Tensor noisy = covariance.clone();
    noisy.diagonal().add_(noise);
    if (!noisy.isfinite().all().item<bool>()) return {std::numeric_limits<double>::infinity(), {}};
    const Tensor factor = StableCholesky(noisy), flat = y_.reshape({-1, 1});
    const Tensor inverse = torch::cholesky_inverse(factor);
    const Tensor weights = inverse.matmul(flat);
    const double value = 0.5 * (flat * weights).sum().item<double>() + factor.diagonal().log().sum().item<double>();
    return {value, 0.5 * (inverse - weights.matmul(weights.t()))};
  }

  // Minus the logarithm of the priors, normal in the logarithms of the parameters: a lengthscale of a third of the
  // range, outputs that are mostly signal. They hardly matter with more than a few points, and keep the others within
  // bounds.
  Tensor Penalty(const FreeParameters& free) const {
    const auto penalty = [](const Tensor& logarithm, const auto& expected, double deviation) {
      return 0.5 * ((logarithm - expected) / deviation).square().sum();
    };
    const double deviation = std::log(scale_.deviation);
    return penalty(free.log_lengthscale(), (scale_.range / 3).log(), kLengthscalePrior) +
           penalty(free.log_variance(), 2 * deviation, kVariancePrior) +
           penalty(free.log_noise(), deviation + std::log(kStartGpNoise / 2), kNoisePrior) +
           penalty(free.log_smoothness(), 0, kLengthscalePrior);
  }

  Tensor x_, y_, squares_;
  const DataScale& scale_;
  GpKernel kernel_;
};

std::vector<std::vector<double>> Starts(const DataScale& scale, int64_t dy, const GpParameters* like) {
  std::vector<std::vector<double>> starts;
  for (const double share : kStarts) {
    starts.push_back(StartAt(scale.range * share, scale.deviation * scale.deviation, kStartGpNoise * scale.deviation, 1,
                             torch::eye(dy, torch::kFloat64)));
  }
  if (like != nullptr) {
    const Tensor outputs = like->outputs.empty() ? torch::eye(dy, torch::kFloat64)
                                                 : torch::tensor(like->outputs, torch::kFloat64).view({dy, dy});
    starts.push_back(StartAt(torch::tensor(like->lengthscale, torch::kFloat64), like->variance, like->noise,
                             like->smoothness, StableCholesky(outputs)));
  }
  return starts;
}

}  // namespace

GpParameters FitGaussianProcess(const Tensor& context_x, const Tensor& context_y, const GpFitOptions& options,
                                const GpParameters* like) {
  const torch::AutoGradMode watch(true);
  const Tensor x = context_x.detach().to(torch::kFloat64), y = context_y.detach().to(torch::kFloat64);
  const int64_t n = x.size(0), dy = y.size(1);
  RandomStream random(0, {kFittedRows});
  const Tensor order = torch::tensor(RandomOrder<int64_t>(n, random));
  const DataScale scale(x, y);
  // The likelihood of some of the points.
  const auto likelihood = [&](int64_t observations) {
    const Tensor rows = order.narrow(0, 0, std::min(n, std::max<int64_t>(2, observations / dy)));
    return PenalizedLikelihood(x.index_select(0, rows), y.index_select(0, rows), scale, options.kernel);
  };
  Minimum best{.value = std::numeric_limits<double>::infinity()};
  const PenalizedLikelihood some = likelihood(kMaxStartObservations);
  for (std::vector<double>& start : Starts(scale, dy, like)) {
    Minimum found = Minimize(some, std::move(start));
    if (found.value < best.value) best = std::move(found);
  }
  if (!std::isfinite(best.value)) return {.kernel = options.kernel, .noise = kStartGpNoise};
  if (n * dy > kMaxStartObservations) best = Minimize(likelihood(kMaxFittedObservations), std::move(best.at));
  return FreeParameters{torch::tensor(best.at, torch::kFloat64), x.size(1), dy}.Values(options.kernel);
}

}  // namespace haplospin
