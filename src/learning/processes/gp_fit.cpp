#include "learning/processes/gp_fit.h"

#include <ATen/ops/cholesky_inverse.h>
#include <torch/autograd.h>
#include <torch/optim/lbfgs.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

// Standard deviations of the priors on the logarithms of the parameters: without priors, a few points would be fitted
// without any noise.
constexpr double kLengthscalePrior = 1.5, kVariancePrior = 1.5, kNoisePrior = 1.5;
constexpr std::array<double, 3> kStarts = {0.3, 1.0, 0.1};  // starting lengthscales, relative to the inputs' range
constexpr int64_t kMaxFittedObservations = 512, kMaxStartObservations = 128;
constexpr uint64_t kFittedRows = 71;  // key of the random draws
constexpr int64_t kMaxEvaluations = 200;
constexpr double kLeastGain = 1e-3;    // a step that gains less ends the search
constexpr double kMaxLogarithm = 100;  // beyond it a parameter has no further effect, so that all is finite

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

// Minus the logarithm of the likelihood of some points times the priors.
class PenalizedLikelihood {
 public:
  PenalizedLikelihood(const Tensor& x, const Tensor& y, const DataScale& scale, GpKernel kernel)
      : x_(x), y_(y), scale_(scale), kernel_(kernel) {
    if (IsStationary(kernel)) {
      squares_ = (x.t().unsqueeze(2) - x.t().unsqueeze(1)).square().flatten(1);  // [dx, n n]
    }
  }

  // The value at a vector of parameters. Its gradient is added to that of the vector.
  double operator()(const Tensor& at) const {
    const FreeParameters free{at.clamp(-kMaxLogarithm, kMaxLogarithm), x_.size(1), y_.size(1)};
    const Tensor points = Points(free), noise = free.Noise().square();
    const Tensor covariance = free.dy > 1 ? torch::kron(points, free.Outputs()) : points;
    const auto [value, derivative] = Likelihood(covariance.detach(), noise.item<double>());
    const Tensor penalty = Penalty({at, free.dx, free.dy});
    ((derivative * covariance).sum() + derivative.trace() * noise + penalty).backward();
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

// Three lengthscales, relative to the range of the inputs, and independent outputs.
std::vector<Tensor> Starts(const DataScale& scale, int64_t dy) {
  std::vector<Tensor> starts;
  for (const double share : kStarts) {
    const double variance = scale.deviation * scale.deviation, noise = kStartGpNoise * scale.deviation;
    starts.push_back(torch::cat(
        {(scale.range * share).log(), torch::tensor({std::log(variance), std::log(noise), 0.0}, torch::kFloat64)}));
    if (dy > 1) starts.back() = torch::cat({starts.back(), torch::eye(dy, torch::kFloat64).flatten()});
  }
  return starts;
}

struct Minimum {
  Tensor at;
  double value = std::numeric_limits<double>::infinity();
};

// A local minimum near the start (L-BFGS).
Minimum Minimize(const PenalizedLikelihood& function, const Tensor& start) {
  Minimum minimum{.at = start.clone().requires_grad_(true)};
  torch::optim::LBFGS search({minimum.at}, torch::optim::LBFGSOptions()
                                               .max_iter(kMaxEvaluations)
                                               .max_eval(kMaxEvaluations)
                                               .tolerance_change(kLeastGain)
                                               .line_search_fn("strong_wolfe"));
  const auto evaluate = [&] {
    search.zero_grad();
    minimum.value = function(minimum.at);
    return torch::tensor(minimum.value, torch::kFloat64);
  };
  search.step(evaluate);
  evaluate();
  minimum.at = minimum.at.detach();
  return minimum;
}

}  // namespace

GpParameters FitGaussianProcess(const Tensor& context_x, const Tensor& context_y, GpKernel kernel) {
  const torch::AutoGradMode watch(true);
  const Tensor x = context_x.detach().to(torch::kFloat64), y = context_y.detach().to(torch::kFloat64);
  const int64_t n = x.size(0), dy = y.size(1);
  RandomStream random(0, {kFittedRows});
  const Tensor order = torch::tensor(RandomOrder<int64_t>(n, random));
  const DataScale scale(x, y);
  // The likelihood of some of the points.
  const auto likelihood = [&](int64_t observations) {
    const Tensor rows = order.narrow(0, 0, std::min(n, std::max<int64_t>(2, observations / dy)));
    return PenalizedLikelihood(x.index_select(0, rows), y.index_select(0, rows), scale, kernel);
  };
  Minimum best;
  const PenalizedLikelihood some = likelihood(kMaxStartObservations);
  for (const Tensor& start : Starts(scale, dy)) {
    Minimum found = Minimize(some, start);
    if (found.value < best.value) best = std::move(found);
  }
  if (!std::isfinite(best.value)) return {.kernel = kernel, .noise = kStartGpNoise};
  if (n * dy > kMaxStartObservations) best = Minimize(likelihood(kMaxFittedObservations), best.at);
  return FreeParameters{best.at, x.size(1), dy}.Values(kernel);
}

}  // namespace haplospin
