#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>

#include "core/temporary_folder.h"
#include "haplospin/errors.h"
#include "nn/tensor_file.h"
#include "processes/kolmogorov_flow.h"
#include "processes/kolmogorov_tasks.h"

namespace haplospin {
namespace {

constexpr auto kDouble = torch::kFloat64;
constexpr int64_t kGrid = 32;

torch::Tensor Axis() { return torch::arange(kGrid, kDouble) * (2 * std::numbers::pi / kGrid); }
torch::Tensor X() { return Axis().view({1, -1}).expand({kGrid, kGrid}); }
torch::Tensor Y() { return Axis().view({-1, 1}).expand({kGrid, kGrid}); }

FlowOptions Free(double viscosity) {
  return {.grid = kGrid, .viscosity = viscosity, .forcing = 0, .wave = 4, .drag = 0};
}

torch::Tensor RandomVorticity() {
  torch::Tensor w = torch::zeros({kGrid, kGrid}, kDouble);
  for (int kx = 1; kx <= 4; ++kx) {
    for (int ky = -4; ky <= 4; ++ky) {
      const double phase = 6 * torch::rand({1}, kDouble).item<double>();
      w = w + (kx * X() + ky * Y() + phase).cos() * torch::randn({1}, kDouble);
    }
  }
  return w.unsqueeze(0);
}

TEST(KolmogorovFlow, TaylorGreenVorticesDecayAsTheyShould) {
  // w = 2 cos x cos y is a solution of the whole equation: the transport is 0, the decay exp(-2 nu t).
  const torch::Tensor w = 2 * X().cos() * Y().cos();
  KolmogorovFlow flow(Free(0.05), w.unsqueeze(0));
  flow.Advance(1.5);
  EXPECT_TRUE(torch::allclose(flow.Vorticity()[0], w * std::exp(-2 * 0.05 * 1.5), 1e-8, 1e-8));
}

TEST(KolmogorovFlow, VelocityHasThatVorticityAndNoDivergence) {
  torch::manual_seed(1);
  const torch::Tensor w = X().cos() * (2 * Y()).sin();
  const KolmogorovFlow flow(Free(0), w.unsqueeze(0));
  const torch::Tensor u = flow.Velocity()[0][0], v = flow.Velocity()[0][1];
  // psi = w / 5: u = dpsi/dy, v = -dpsi/dx.
  EXPECT_TRUE(torch::allclose(u, X().cos() * 2 * (2 * Y()).cos() / 5, 1e-10, 1e-10));
  EXPECT_TRUE(torch::allclose(v, X().sin() * (2 * Y()).sin() / 5, 1e-10, 1e-10));
}

TEST(KolmogorovFlow, WithoutFrictionKeepsEnergyAndEnstrophy) {
  torch::manual_seed(2);
  KolmogorovFlow flow(Free(0), RandomVorticity());
  const double energy = flow.Velocity().square().mean().item<double>();
  const double enstrophy = flow.Vorticity().square().mean().item<double>();
  const torch::Tensor before = flow.Vorticity();
  flow.Advance(0.5);
  EXPECT_NEAR(flow.Velocity().square().mean().item<double>() / energy, 1, 1e-5);
  EXPECT_NEAR(flow.Vorticity().square().mean().item<double>() / enstrophy, 1, 1e-5);
  EXPECT_GT((flow.Vorticity() - before).abs().max().item<double>(), 0.1);  // and yet it moves
}

TEST(KolmogorovFlow, ForcingAndFrictionSettleWhereTheyBalance) {
  // Laminar: u = a sin(k y), a = forcing / (nu k^2 + drag), is steady and reached from rest when friction is strong.
  FlowOptions options{.grid = kGrid, .viscosity = 0.5, .forcing = 1, .wave = 2, .drag = 0.3};
  KolmogorovFlow flow(options, torch::zeros({1, kGrid, kGrid}, kDouble));
  flow.Advance(12);
  const torch::Tensor u = (2 * Y()).sin() / (0.5 * 4 + 0.3);
  EXPECT_TRUE(torch::allclose(flow.Velocity()[0][0], u, 1e-6, 1e-6));
  EXPECT_LT(flow.Velocity()[0][1].abs().max().item<double>(), 1e-8);
}

TEST(SimulateTrajectories, AreReproducibleTurbulentAndOfEachOthersScale) {
  const TrajectoryOptions options{
      .flow = {.grid = 32}, .trajectories = 2, .snapshots = 4, .interval = 0.2, .coarse = 16, .seed = 3};
  const torch::Tensor a = SimulateTrajectories(options);
  EXPECT_EQ(a.sizes().vec(), (std::vector<int64_t>{2, 4, 2, 16, 16}));
  EXPECT_TRUE(a.equal(SimulateTrajectories(options)));
  EXPECT_TRUE(a.isfinite().all().item<bool>());
  EXPECT_GT((a[0] - a[1]).abs().max().item<double>(), 0.1);
  TrajectoryOptions wrong = options;
  wrong.coarse = 5;
  EXPECT_THROW(SimulateTrajectories(wrong), InputError);
}

TEST(KolmogorovTasks, AreCutFromTheirTrajectories) {
  torch::manual_seed(4);
  const torch::Tensor velocities = torch::randn({5, 6, 2, 8, 8});
  const KolmogorovTasks source(velocities, {.region = 4, .context = {3, 9}, .trajectories = {0, 0.2}});
  RandomStream random(5);
  const ProcessTasks tasks = source.Draw(3, random).at(0);
  const int64_t m = tasks.context_x.size(1);
  EXPECT_TRUE(m >= 3 && m <= 9);
  EXPECT_EQ(m + tasks.target_x.size(1), 64);
  EXPECT_EQ(torch::cat({tasks.context_x, tasks.target_x}, 1).abs().max().item<float>(), 3);
  // Each pair of velocities is one of the first trajectory's.
  const torch::Tensor scaled = velocities / velocities.square().mean().sqrt();
  const torch::Tensor pairs = scaled[0].permute({0, 2, 3, 1}).reshape({-1, 2});
  EXPECT_LT((pairs.unsqueeze(0) - tasks.target_y[2].unsqueeze(1)).abs().sum(2).amin(1).max().item<double>(), 1e-5);
  EXPECT_THROW(KolmogorovTasks(velocities, {.region = 7}), InputError);
  EXPECT_THROW(KolmogorovTasks(velocities, {.region = 4, .context = {1, 64}}), InputError);
  EXPECT_THROW(KolmogorovTasks(velocities, {.region = 4, .context = {1, 5}, .trajectories = {0.01, 0.02}}), InputError);
}

TEST(Trajectories, AreReadBackAndOtherFilesRefused) {
  const TemporaryFolder folder;
  const torch::Tensor velocities = torch::randn({2, 3, 2, 4, 4});
  WriteTrajectories(folder / "flow.safetensors", velocities);
  EXPECT_TRUE(ReadTrajectories(folder / "flow.safetensors").equal(velocities));
  WriteTensorFile(folder / "other.safetensors", {{"velocity", torch::randn({2, 3, 4})}});
  EXPECT_THROW(ReadTrajectories(folder / "other.safetensors"), InputError);
  EXPECT_THROW(ReadTrajectories(folder / "none.safetensors"), InputError);
}

}  // namespace
}  // namespace haplospin
