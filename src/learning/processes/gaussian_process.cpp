#include "learning/processes/gaussian_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr int64_t kBlockDifferences = int64_t{1}
                                      << 21;  // differences of two points along one input that are computed at a time
const std::array<const char*, 4> kNames = {"se", "periodic", "matern52", "linear"};

KernelTensors ToTensors(const GpParameters& p, const torch::TensorOptions& options) {
  return {torch::tensor(p.lengthscale, options), torch::tensor(p.smoothness, options),
          torch::tensor(p.variance, options)};
}

}  // namespace

GpKernel ParseGpKernel(const std::string& name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<GpKernel>(i);
  }
  throw InputError(fmt::format("unknown kernel '{}'; expected se, periodic, matern52 or linear", name));
}

bool IsStationary(GpKernel kernel) { return kernel == GpKernel::kSquaredExponential || kernel == GpKernel::kMatern52; }

Tensor StationaryCovariance(GpKernel kernel, const Tensor& variance, const Tensor& squared) {
  if (kernel == GpKernel::kSquaredExponential) return variance * (-0.5 * squared).exp();
  HS_ASSERT(kernel == GpKernel::kMatern52);
  const Tensor r = (5 * squared + 1e-20).sqrt();  // the root has no gradient at 0
  return variance * (1 + r + r.square() / 3) * (-r).exp();
}

Tensor KernelCovariance(GpKernel kernel, const KernelTensors& p, const Tensor& x1, const Tensor& x2) {
  if (kernel == GpKernel::kLinear) {
    return p.variance * (1 + torch::matmul(x1 / p.lengthscale, (x2 / p.lengthscale).transpose(-2, -1)));
  }
  const Tensor d = (x1.unsqueeze(-2) - x2.unsqueeze(-3)) / p.lengthscale.unsqueeze(-2);  // [.., n, m, dx]
  if (kernel == GpKernel::kPeriodic) {
    const Tensor sines = (std::numbers::pi * d).sin().square().sum(-1);
    return p.variance * (-2 * sines / p.smoothness.square()).exp();
  }
  return StationaryCovariance(kernel, p.variance, d.square().sum(-1));
}

Tensor PriorVariance(const GpParameters& p, const Tensor& x) {
  Tensor variance = torch::full({x.size(0)}, p.variance, x.options());
  if (p.kernel != GpKernel::kLinear) return variance;
  return variance * (1 + (x / torch::tensor(p.lengthscale, x.options())).square().sum(-1));
}

Tensor GpCovariance(const GpParameters& parameters, const Tensor& x1, const Tensor& x2) {
  const KernelTensors p = ToTensors(parameters, x1.options());
  const int64_t rows = std::max<int64_t>(1, kBlockDifferences / std::max<int64_t>(1, x2.size(-2) * x2.size(-1)));
  if (x1.dim() > 2 || x1.size(0) <= rows) return KernelCovariance(parameters.kernel, p, x1, x2);
  Tensor covariance = torch::empty({x1.size(0), x2.size(0)}, x1.options());
  for (int64_t i = 0; i < x1.size(0); i += rows) {
    const int64_t count = std::min(rows, x1.size(0) - i);
    covariance.narrow(0, i, count).copy_(KernelCovariance(parameters.kernel, p, x1.narrow(0, i, count), x2));
  }
  return covariance;
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
    covariances.index_copy_(0, index, KernelCovariance(static_cast<GpKernel>(kernel), tensors, points, points));
  }
  return covariances;
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
