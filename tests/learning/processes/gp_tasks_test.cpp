#include "learning/processes/gp_tasks.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <vector>

#include "haplospin/errors.h"
#include "learning/nn/device.h"
#include "learning/processes/process_evaluation.h"

namespace haplospin {
namespace {

ProcessTasks DrawOne(const GpTaskOptions& options, int64_t batch, int64_t count = 16) {
  RandomStream random = BatchStream(5, TaskStream::kTest, batch);
  return GpTasks(options).Draw(count, random).at(0);
}

TEST(GpTasks, AreAsTheirOptionsSay) {
  GpTaskOptions options;
  int64_t fewest = 1000, most = 0;
  for (int64_t batch = 0; batch < 200; ++batch) {
    const ProcessTasks tasks = DrawOne(options, batch, 2);
    EXPECT_EQ(tasks.target_x.size(1), 128);
    EXPECT_LE(tasks.context_x.abs().max().item<double>(), 2);
    EXPECT_LE(tasks.target_x.abs().max().item<double>(), 3);
    fewest = std::min(fewest, tasks.context_x.size(1));
    most = std::max(most, tasks.context_x.size(1));
  }
  EXPECT_LE(fewest, 3);
  EXPECT_GE(most, 62);
  EXPECT_LE(most, 64);
}

TEST(GpTasks, ComeAgainFromTheSameStream) {
  const ProcessTasks a = DrawOne({}, 3), b = DrawOne({}, 3), c = DrawOne({}, 4);
  EXPECT_TRUE(a.target_y.equal(b.target_y));
  EXPECT_FALSE(a.target_y.sizes() == c.target_y.sizes() && a.target_y.equal(c.target_y));
}

// Whatever the number of LibTorch's threads, of which each takes some tasks of a batch.
TEST(GpTasks, DoNotDependOnThreads) {
  GpTaskOptions options;
  options.standardize = true;
  const int threads = at::get_num_threads();
  SetTorchThreads(1);
  const ProcessTasks one = DrawOne(options, 3);
  SetTorchThreads(4);
  const ProcessTasks several = DrawOne(options, 3);
  SetTorchThreads(threads);
  EXPECT_TRUE(one.context_y.equal(several.context_y));
  EXPECT_TRUE(one.target_y.equal(several.target_y));
}

// The inverse of the factor of its covariance makes a task's outputs independent.
TEST(GpTasks, TasksOfABatchHaveTheCovarianceOfTheirKernels) {
  GpTaskOptions options;
  options.lengthscale = {1, 1};
  options.context = {0, 0};
  options.targets = {3, 3};
  options.noise = {0.3, 0.3};
  for (const GpKernel kernel : {GpKernel::kSquaredExponential, GpKernel::kMatern52}) {
    options.kernels = {kernel};
    const ProcessTasks tasks = DrawOne(options, 0, 20000);
    const torch::Tensor x = tasks.target_x.to(torch::kFloat64), y = tasks.target_y.to(torch::kFloat64);
    const std::vector<GpParameters> parameters(20000, {.kernel = kernel});
    const torch::Tensor expected = GpCovariances(parameters, x) + 0.09 * torch::eye(3, torch::kFloat64);
    const torch::Tensor whitened = torch::linalg_solve_triangular(StableCholesky(expected), y, /*upper=*/false);
    const torch::Tensor covariance = torch::matmul(whitened, whitened.transpose(1, 2)).mean(0);
    EXPECT_TRUE(torch::allclose(covariance, torch::eye(3, torch::kFloat64), 0, 0.04)) << covariance;
  }
}

TEST(GpTasks, AShiftMovesInputsAndLeavesOutputs) {
  GpTaskOptions moved;
  moved.shift = 0.75;
  const ProcessTasks a = DrawOne({}, 1), b = DrawOne(moved, 1);
  EXPECT_TRUE(torch::allclose(b.context_x, a.context_x + 0.75, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(b.target_y, a.target_y, 1e-3, 1e-3));
}

TEST(GpTasks, BimodalInputsLeaveTheMiddleEmpty) {
  GpTaskOptions options;
  options.bimodal = true;
  const torch::Tensor x = DrawOne(options, 0).target_x;
  EXPECT_GE(x.abs().min().item<double>(), 1);
  EXPECT_LE(x.abs().max().item<double>(), 4);
  EXPECT_NEAR((x > 0).to(torch::kFloat32).mean().item<double>(), 0.5, 0.06);
}

TEST(GpTasks, HaveTheVarianceOfTheirKernels) {
  GpTaskOptions options;
  options.noise = {0.5, 0.5};
  options.scale = {2, 2};
  double sum = 0;
  for (int64_t batch = 0; batch < 60; ++batch) sum += DrawOne(options, batch).target_y.square().mean().item<double>();
  EXPECT_NEAR(sum / 60, 4.25, 0.5);
}

TEST(GpTasks, StandardizedOnesAreScaledAsPredictionsAre) {
  GpTaskOptions options;
  options.standardize = true;
  options.context = {4, 30};
  options.inputs = 2;
  options.kernels = {GpKernel::kLinear, GpKernel::kMatern52};
  for (int64_t batch = 0; batch < 20; ++batch) {
    const ProcessTasks tasks = DrawOne(options, batch, 3);
    ASSERT_EQ(tasks.target_x.size(2), 2);
    const torch::Tensor& y = tasks.context_y;
    EXPECT_LT(y.mean(1).abs().max().item<double>(), 1e-5);
    EXPECT_LT((y.square().mean(1) - 1).abs().max().item<double>(), 1e-5);
    EXPECT_LT((tasks.context_x.amin({1}) + 2).abs().max().item<double>(), 1e-6);
    EXPECT_LT((tasks.context_x.amax({1}) - 2).abs().max().item<double>(), 1e-6);
    EXPECT_LE(tasks.target_y.abs().max().item<double>(), 10.001);
  }
}

TEST(GpTasks, StandardizedOnesMayHaveFewPoints) {
  GpTaskOptions options;
  options.standardize = true;
  for (int64_t points = 0; points < 3; ++points) {
    options.context = {points, points};
    const ProcessTasks tasks = DrawOne(options, points, 3);
    EXPECT_EQ(tasks.context_y.size(1), points);
    EXPECT_TRUE(tasks.target_y.isfinite().all().item<bool>());
    if (points == 1) {
      EXPECT_EQ(tasks.context_y.abs().max().item<double>(), 0);
    }
  }
}

// Two points that are a period apart have the same value, so no draw of such a function has the scale of its context.
TEST(GpTasks, StandardizedOnesDoNotEndAtAPeriodOfTheContext) {
  GpTaskOptions options;
  options.standardize = true;
  options.kernels = {GpKernel::kPeriodic, GpKernel::kSquaredExponential};
  options.lengthscale = {4, 4};
  options.noise = {1e-4, 1e-4};
  options.context = {2, 2};
  for (int64_t batch = 0; batch < 8; ++batch) {
    EXPECT_LE(DrawOne(options, batch, 1).target_y.abs().max().item<double>(), 10.001);
  }
}

TEST(GpTasks, StandardizedOnesEndWhereTargetsAreTooFarAway) {
  GpTaskOptions options;
  options.standardize = true;
  options.kernels = {GpKernel::kLinear};
  options.target_x = {1e6, 2e6};
  EXPECT_THROW(DrawOne(options, 0, 1), InputError);
}

TEST(GpTasks, DrawTheNoiseOfEachTask) {
  GpTaskOptions options;
  options.kernels = {GpKernel::kLinear};
  options.lengthscale = {1e6, 1e6};  // constants: what varies within a task is noise
  options.noise = {0.01, 1};
  double least = 10, most = 0;
  for (int64_t batch = 0; batch < 40; ++batch) {
    const double sd = DrawOne(options, batch, 1).target_y.std().item<double>();
    least = std::min(least, sd);
    most = std::max(most, sd);
  }
  EXPECT_GT(least, 0.007);
  EXPECT_LT(least, 0.03);
  EXPECT_GT(most, 0.4);
  EXPECT_LT(most, 1.2);
}

void ExpectTheOracleToBeBetterThanTheWrongKernel(const GpTaskOptions& options) {
  const GpTasks tasks(options);
  EvaluationSums oracle, wrong;
  for (int64_t batch = 0; batch < 30; ++batch) {
    RandomStream random = BatchStream(9, TaskStream::kTest, batch);
    RandomStream same = random;
    const ProcessTasks drawn = tasks.Draw(16, random).at(0);
    oracle.Add(tasks.DrawOracle(16, same), drawn.target_y);
    for (int64_t b = 0; b < 16; ++b) {
      const GpParameters guess{.lengthscale = {1.0}, .noise = 0.2};
      const Prediction p = GaussianPosterior(guess, drawn.context_x[b], drawn.context_y[b]).Predict(drawn.target_x[b]);
      wrong.Add({p.mean.to(torch::kFloat32), p.sd.to(torch::kFloat32)}, drawn.target_y.narrow(0, b, 1));
    }
  }
  EXPECT_GT(oracle.Result().log_likelihood, wrong.Result().log_likelihood + 0.05);
  EXPECT_LT(oracle.Result().calibration, 5e-4);
}

TEST(GpTasks, TheOracleIsCalibratedAndBeatsTheWrongKernel) {
  GpTaskOptions options;
  options.targets = {32, 32};
  ExpectTheOracleToBeBetterThanTheWrongKernel(options);
  options.standardize = true;
  options.context = {8, 64};
  options.noise = {0.05, 0.4};
  ExpectTheOracleToBeBetterThanTheWrongKernel(options);
}

TEST(GpTasks, RefuseWhatCannotBe) {
  const auto expect_refused = [](auto change) {
    GpTaskOptions options;
    change(options);
    EXPECT_THROW(GpTasks{options}, InputError);
  };
  expect_refused([](auto& o) { o.kernels.clear(); });
  expect_refused([](auto& o) { o.lengthscale = {0, 1}; });
  expect_refused([](auto& o) { o.lengthscale = {2, 1}; });
  expect_refused([](auto& o) { o.noise = {0, 0}; });
  expect_refused([](auto& o) { o.targets = {0, 4}; });
  expect_refused([](auto& o) { o.noise = {0.3, 0.2}; });
  expect_refused([](auto& o) { o.inputs = 0; });
  expect_refused([](auto& o) { o.standardize = o.bimodal = true; });
  expect_refused([](auto& o) { o.standardize = true, o.shift = 1; });
  expect_refused([](auto& o) { o.standardize = true, o.context_x = {1, 1}; });
}

}  // namespace
}  // namespace haplospin
