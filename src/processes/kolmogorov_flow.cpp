#include "processes/kolmogorov_flow.h"

#include <fmt/format.h>
#include <torch/fft.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/progress/progress.h"
#include "core/random.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using torch::Tensor;

constexpr double kCourant = 0.5;  // cells that the fastest fluid crosses in a step
constexpr double kMaxStep = 0.02;
constexpr double kPeakWave = 4;   // of the random initial vorticity
constexpr int64_t kTogether = 8;  // trajectories in one batch

Tensor Inverse(const Tensor& spectrum, int64_t grid) { return torch::fft::irfft2(spectrum, {{grid, grid}}); }

// Random vorticity with energy around kPeakWave and a root mean square of about 4.
Tensor InitialVorticity(int64_t grid, RandomStream& random) {
  Tensor noise = torch::empty({grid, grid}, torch::kFloat64);
  double* values = noise.data_ptr<double>();
  for (int64_t i = 0; i < noise.numel(); ++i) values[i] = random.Normal();
  const Tensor ky = torch::fft::fftfreq(grid, 1.0 / static_cast<double>(grid), torch::kFloat64).view({-1, 1});
  const Tensor kx = torch::fft::rfftfreq(grid, 1.0 / static_cast<double>(grid), torch::kFloat64).view({1, -1});
  const Tensor k = (kx.square() + ky.square()).sqrt();
  const Tensor filter = k * (-(k / kPeakWave).square()).exp();
  const Tensor vorticity = Inverse(torch::fft::rfft2(noise) * filter, grid);
  return vorticity * (4 / vorticity.square().mean().sqrt());
}

}  // namespace

KolmogorovFlow::KolmogorovFlow(const FlowOptions& options, const Tensor& vorticity) : options_(options) {
  const int64_t n = options.grid;
  HS_ASSERT(vorticity.dim() == 3 && vorticity.size(1) == n && vorticity.size(2) == n && n >= 4 && n % 2 == 0);
  const double unit = 1.0 / static_cast<double>(n);
  ky_ = torch::fft::fftfreq(n, unit, torch::kFloat64).view({-1, 1});
  kx_ = torch::fft::rfftfreq(n, unit, torch::kFloat64).view({1, -1});
  squared_ = kx_.square() + ky_.square();
  squared_ = torch::where(squared_ == 0, torch::ones_like(squared_), squared_);
  const double limit = static_cast<double>(n) / 3;
  kept_ = ((kx_.abs() < limit) & (ky_.abs() < limit)).to(torch::kFloat64);
  const auto wave = static_cast<double>(options.wave);
  const Tensor y = torch::arange(n, torch::kFloat64).view({-1, 1}) * (2 * std::numbers::pi * unit);
  const Tensor curl = (-options.forcing * wave * (wave * y).cos()).expand({n, n});  // -df/dy
  forcing_ = torch::fft::rfft2(curl);
  spectrum_ = torch::fft::rfft2(vorticity.to(torch::kFloat64)) * kept_;
}

// With w = -laplace(psi): u = dpsi/dy, v = -dpsi/dx.
Tensor KolmogorovFlow::Velocities(const Tensor& spectrum) const {
  const Tensor stream = spectrum / squared_;
  const c10::complex<double> i(0, 1);
  return Inverse(torch::stack({stream * ky_ * i, stream * kx_ * (-i)}, 1), options_.grid);
}

Tensor KolmogorovFlow::Rate(const Tensor& spectrum) const {
  const Tensor velocity = Velocities(spectrum);
  const Tensor vorticity = Inverse(spectrum, options_.grid).unsqueeze(1);
  const Tensor flux = torch::fft::rfft2(velocity * vorticity);  // [b, 2, ..]: w u, w v
  const c10::complex<double> i(0, 1);
  const Tensor transport = (flux.select(1, 0) * kx_ + flux.select(1, 1) * ky_) * i * kept_;
  return forcing_ - transport - (options_.viscosity * squared_ + options_.drag) * spectrum;
}

void KolmogorovFlow::Advance(double time) {
  const double cell = 2 * std::numbers::pi / static_cast<double>(options_.grid);
  while (time > 0) {
    const double speed = Velocities(spectrum_).abs().max().item<double>();
    if (!std::isfinite(speed)) throw InputError("the flow is no longer finite; use a finer --grid or more viscosity");
    const double max_step = std::min(kMaxStep, kCourant * cell / std::max(speed, 1e-9));
    const double step = time / std::ceil(time / max_step);
    const Tensor k1 = Rate(spectrum_);
    const Tensor k2 = Rate(spectrum_ + 0.5 * step * k1);
    const Tensor k3 = Rate(spectrum_ + 0.5 * step * k2);
    const Tensor k4 = Rate(spectrum_ + step * k3);
    spectrum_ = spectrum_ + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    time = step == time ? 0 : time - step;
  }
}

Tensor KolmogorovFlow::Vorticity() const { return Inverse(spectrum_, options_.grid); }

Tensor KolmogorovFlow::Velocity() const { return Velocities(spectrum_); }

Tensor SimulateTrajectories(const TrajectoryOptions& options) {
  const int64_t n = options.flow.grid;
  if (options.coarse < 1 || n % options.coarse != 0 || n % 2 != 0 || n < 8) {
    throw InputError(fmt::format(
        "a grid of {} cannot be coarsened to {}; expected an even grid of at least 8 and one of its divisors", n,
        options.coarse));
  }
  const torch::NoGradGuard no_grad;
  Tensor kept = torch::empty({options.trajectories, options.snapshots, 2, options.coarse, options.coarse});
  Progress progress("simulating", "snapshots", static_cast<double>(2 * options.snapshots * options.trajectories));
  for (int64_t first = 0; first < options.trajectories; first += kTogether) {
    const int64_t count = std::min(kTogether, options.trajectories - first);
    std::vector<Tensor> initial;
    for (int64_t k = 0; k < count; ++k) {
      RandomStream random(options.seed, {static_cast<uint64_t>(first + k)});
      initial.push_back(InitialVorticity(n, random));
    }
    KolmogorovFlow flow(options.flow, torch::stack(initial));
    for (int64_t t = 0; t < 2 * options.snapshots; ++t) {
      flow.Advance(options.interval);
      progress.Advance(static_cast<double>(count));
      if (t < options.snapshots) continue;
      const Tensor coarse = torch::avg_pool2d(flow.Velocity().to(torch::kFloat32), n / options.coarse);
      kept.narrow(0, first, count).select(1, t - options.snapshots).copy_(coarse);
    }
  }
  progress.Finish();
  return kept;
}

}  // namespace haplospin
