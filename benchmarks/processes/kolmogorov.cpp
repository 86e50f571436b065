// Tasks cut from a simulated Kolmogorov flow (an incompressible fluid on a 2-D torus that a sine wave drives; Ashman et
// al., 2024, eq. 40, section 4.3 and appendix F.3), as tables for `haplospin np --task csv`.
//
// The vorticity w = dv/dx - du/dy is solved with a pseudo-spectral method (2/3 dealiasing, fourth-order Runge-Kutta, in
// double) from random initial states. A task has the points of a region of `region` snapshots and `region` x `region`
// grid points: time, y and x from -3 to 3, and the two velocities over their root mean square. The training tasks are
// cut from the first four fifths of the trajectories, the test tasks from the others.
#include <fmt/format.h>
#include <fmt/os.h>
#include <torch/torch.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cmath>
#include <iostream>
#include <numbers>
#include <string>

#include "core/random.h"

namespace {

using haplospin::RandomStream;
using torch::Tensor;
namespace po = boost::program_options;

constexpr double kViscosity = 1e-3, kDrag = 0.1, kWave = 4;  // the force is (sin(kWave y), 0)
constexpr double kInterval = 0.2;                            // time between snapshots
constexpr double kCourant = 0.5;                             // cells that the fastest fluid crosses in a step
constexpr double kMaxStep = 0.02;

struct Settings {
  int64_t trajectories, snapshots, grid, coarse, region, tasks, test_tasks;
  uint64_t seed;
  std::string out, test_out;
};

class Flow {
 public:
  Flow(int64_t grid, RandomStream& random) : grid_(grid) {
    const double unit = 1.0 / static_cast<double>(grid);
    ky_ = torch::fft::fftfreq(grid, unit, torch::kFloat64).view({-1, 1});
    kx_ = torch::fft::rfftfreq(grid, unit, torch::kFloat64).view({1, -1});
    squared_ = (kx_.square() + ky_.square()).clamp_min(1);
    const double limit = static_cast<double>(grid) / 3;
    kept_ = ((kx_.abs() < limit) & (ky_.abs() < limit)).to(torch::kFloat64);
    const Tensor y = torch::arange(grid, torch::kFloat64).view({-1, 1}) * (2 * std::numbers::pi * unit);
    force_ = torch::fft::rfft2((-kWave * (kWave * y).cos()).expand({grid, grid}));
    // Random vorticity with its energy around wave number 4 and a root mean square of 4.
    Tensor noise = torch::empty({grid, grid}, torch::kFloat64);
    std::generate_n(noise.data_ptr<double>(), noise.numel(), [&] { return random.Normal(); });
    const Tensor k = (kx_.square() + ky_.square()).sqrt();
    const Tensor vorticity = Inverse(torch::fft::rfft2(noise) * k * (-(k / 4).square()).exp());
    spectrum_ = torch::fft::rfft2(vorticity * (4 / vorticity.square().mean().sqrt())) * kept_;
  }

  void Advance(double time) {
    const double cell = 2 * std::numbers::pi / static_cast<double>(grid_);
    while (time > 0) {
      const double speed = Velocities(spectrum_).abs().max().item<double>();
      const double max_step = std::min(kMaxStep, kCourant * cell / speed);
      const double step = time / std::ceil(time / max_step);
      const Tensor k1 = Rate(spectrum_);
      const Tensor k2 = Rate(spectrum_ + 0.5 * step * k1);
      const Tensor k3 = Rate(spectrum_ + 0.5 * step * k2);
      const Tensor k4 = Rate(spectrum_ + step * k3);
      spectrum_ = spectrum_ + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
      time = step == time ? 0 : time - step;
    }
  }

  // [2, grid, grid]: u along x, v along y.
  Tensor Velocity() const { return Velocities(spectrum_); }

 private:
  Tensor Inverse(const Tensor& spectrum) const { return torch::fft::irfft2(spectrum, {{grid_, grid_}}); }

  // With w = -laplace(psi): u = dpsi/dy, v = -dpsi/dx.
  Tensor Velocities(const Tensor& spectrum) const {
    const Tensor stream = spectrum / squared_ * c10::complex<double>(0, 1);
    return Inverse(torch::stack({stream * ky_, -stream * kx_}));
  }

  Tensor Rate(const Tensor& spectrum) const {
    const Tensor flux = torch::fft::rfft2(Velocities(spectrum) * Inverse(spectrum));  // w u, w v
    const Tensor transport = (flux[0] * kx_ + flux[1] * ky_) * c10::complex<double>(0, 1) * kept_;
    return force_ - transport - (kViscosity * squared_ + kDrag) * spectrum;
  }

  int64_t grid_;
  Tensor kx_, ky_, squared_;  // wave numbers; squared_ is 1 where they are 0
  Tensor kept_;               // the 2/3 rule
  Tensor force_, spectrum_;   // of the vorticity
};

// Velocities [trajectories, snapshots, 2, coarse, coarse]; as many snapshots are discarded before.
Tensor Simulate(const Settings& settings) {
  std::vector<Tensor> trajectories;
  for (int64_t k = 0; k < settings.trajectories; ++k) {
    RandomStream random(settings.seed, {static_cast<uint64_t>(k)});
    Flow flow(settings.grid, random);
    std::vector<Tensor> snapshots;
    for (int64_t t = 0; t < 2 * settings.snapshots; ++t) {
      flow.Advance(kInterval);
      if (t < settings.snapshots) continue;
      const Tensor velocity = flow.Velocity().to(torch::kFloat32);
      snapshots.push_back(torch::avg_pool2d(velocity.unsqueeze(0), settings.grid / settings.coarse).squeeze(0));
    }
    trajectories.push_back(torch::stack(snapshots));
  }
  return torch::stack(trajectories);
}

void WriteTasks(const std::string& path, const Tensor& velocities, int64_t tasks, int64_t region, RandomStream random) {
  const auto draw = [&](int64_t size) { return static_cast<int64_t>(random.UniformInt(static_cast<uint64_t>(size))); };
  const auto place = [&](int64_t i) { return -3 + 6.0 * static_cast<double>(i) / static_cast<double>(region - 1); };
  auto file = fmt::output_file(path);
  file.print("task,time,y,x,u,v\n");
  for (int64_t task = 0; task < tasks; ++task) {
    Tensor part = velocities[draw(velocities.size(0))];
    for (const int64_t dimension : {0, 2, 3}) {
      part = part.narrow(dimension, draw(part.size(dimension) - region + 1), region);
    }
    const auto value = part.accessor<float, 4>();
    for (int64_t t = 0; t < region; ++t) {
      for (int64_t y = 0; y < region; ++y) {
        for (int64_t x = 0; x < region; ++x) {
          file.print("{},{:.4g},{:.4g},{:.4g},{:.5g},{:.5g}\n", task, place(t), place(y), place(x), value[t][0][y][x],
                     value[t][1][y][x]);
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  po::options_description description("Tasks from a Kolmogorov flow");
  description.add_options()("help", "print this text")  //
      ("trajectories", po::value(&s.trajectories)->default_value(60), "independent trajectories")(
          "snapshots", po::value(&s.snapshots)->default_value(24), "snapshots of each trajectory")(
          "grid", po::value(&s.grid)->default_value(64), "points along each side of the solver's grid, even")(
          "coarse", po::value(&s.coarse)->default_value(32), "points along each side after averaging over squares")(
          "region", po::value(&s.region)->default_value(12), "points of a task along time and along each side")(
          "tasks", po::value(&s.tasks)->default_value(2000), "training tasks")(
          "test-tasks", po::value(&s.test_tasks)->default_value(200), "test tasks")(
          "seed", po::value(&s.seed)->default_value(1), "seed")(
          "out", po::value(&s.out)->required(), "training tasks (CSV)")("test-out", po::value(&s.test_out)->required(),
                                                                        "test tasks (CSV)");
  po::variables_map variables;
  po::store(po::parse_command_line(argc, argv, description), variables);
  if (variables.contains("help")) {
    std::cout << description;
    return 0;
  }
  po::notify(variables);
  const torch::NoGradGuard no_grad;
  torch::set_num_threads(1);
  Tensor velocities = Simulate(s);
  velocities = velocities / velocities.square().mean().sqrt();
  const int64_t training = 4 * s.trajectories / 5;
  WriteTasks(s.out, velocities.narrow(0, 0, training), s.tasks, s.region, RandomStream(s.seed, {1, 0}));
  WriteTasks(s.test_out, velocities.narrow(0, training, s.trajectories - training), s.test_tasks, s.region,
             RandomStream(s.seed, {1, 1}));
}
