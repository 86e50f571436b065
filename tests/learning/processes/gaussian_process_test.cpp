#include "learning/processes/gaussian_process.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <cmath>
#include <numbers>

#include "haplospin/errors.h"
#include "learning/processes/fitted_gaussian_process.h"
#include "learning/processes/gp_fit.h"
#include "learning/processes/gp_posterior.h"

namespace haplospin {
namespace {

torch::Tensor Column(std::vector<double> values) {
  const auto n = static_cast<int64_t>(values.size());
  return torch::tensor(values, torch::kFloat64).view({n, 1});
}

Prediction Posterior(const GpParameters& p, const torch::Tensor& cx, const torch::Tensor& cy, const torch::Tensor& tx) {
  return GaussianPosterior(p, cx, cy).Predict(tx);
}

TEST(GpCovariance, IsTheFormula) {
  const torch::Tensor a = Column({0.3}), b = Column({1.0});
  const auto value = [&](GpKernel kernel) {
    const GpParameters p{.kernel = kernel, .lengthscale = {0.5}, .variance = 2};
    return GpCovariance(p, a, b).item<double>();
  };
  const double r = 0.7 / 0.5;
  EXPECT_NEAR(value(GpKernel::kSquaredExponential), 2 * std::exp(-0.5 * r * r), 1e-12);
  const double s = std::sin(std::numbers::pi * r);
  EXPECT_NEAR(value(GpKernel::kPeriodic), 2 * std::exp(-2 * s * s), 1e-12);
  const double q = std::sqrt(5) * r;
  EXPECT_NEAR(value(GpKernel::kMatern52), 2 * (1 + q + q * q / 3) * std::exp(-q), 1e-9);
  EXPECT_NEAR(value(GpKernel::kLinear), 2 * (1 + 0.3 * 1.0 / 0.25), 1e-12);
}

TEST(GaussianPosterior, IsThatOfTheJointGaussian) {
  torch::manual_seed(1);
  const GpParameters p{.kernel = GpKernel::kMatern52, .lengthscale = {0.8}, .variance = 1.5, .noise = 0.3};
  const torch::Tensor cx = torch::rand({6, 1}, torch::kFloat64), cy = torch::randn({6, 1}, torch::kFloat64);
  const torch::Tensor tx = torch::rand({4, 1}, torch::kFloat64);
  const torch::Tensor inverse = (GpCovariance(p, cx, cx) + 0.09 * torch::eye(6, torch::kFloat64)).inverse();
  const torch::Tensor cross = GpCovariance(p, tx, cx);
  const torch::Tensor mean = cross.mm(inverse).mm(cy);
  const torch::Tensor variance = 1.5 + 0.09 - cross.mm(inverse).mul(cross).sum(1);
  const Prediction found = Posterior(p, cx, cy, tx);
  EXPECT_TRUE(torch::allclose(found.mean.flatten(), mean.flatten(), 1e-9, 1e-9));
  EXPECT_TRUE(torch::allclose(found.sd.flatten(), variance.sqrt(), 1e-9, 1e-9));
}

TEST(GaussianPosterior, OfALinearKernelIsBayesianRegression) {
  // y = a + b x, a and b standard normal, noise 0.5: the posterior precision of (a, b) is I + X'X / 0.25.
  const GpParameters p{.kernel = GpKernel::kLinear, .lengthscale = {1}, .variance = 1, .noise = 0.5};
  const torch::Tensor x = Column({-1, 0.5, 2}), y = Column({-0.8, 0.4, 2.2}), at = Column({3});
  const auto rows = [](const torch::Tensor& inputs) { return torch::cat({torch::ones_like(inputs), inputs}, 1); };
  const torch::Tensor covariance = (torch::eye(2, torch::kFloat64) + rows(x).t().mm(rows(x)) / 0.25).inverse();
  const torch::Tensor weights = covariance.mm(rows(x).t()).mm(y) / 0.25;
  const Prediction found = Posterior(p, x, y, at);
  EXPECT_NEAR(found.mean.item<double>(), rows(at).mm(weights).item<double>(), 1e-9);
  EXPECT_NEAR(found.sd.item<double>(), std::sqrt(rows(at).mm(covariance).mm(rows(at).t()).item<double>() + 0.25), 1e-9);
}

TEST(GaussianPosterior, WithoutContextIsThePrior) {
  const GpParameters p{.variance = 4, .noise = 1};
  const Prediction found =
      Posterior(p, torch::empty({0, 1}, torch::kFloat64), torch::empty({0, 1}, torch::kFloat64), Column({0, 5}));
  EXPECT_EQ(found.mean.abs().max().item<double>(), 0);
  EXPECT_TRUE(torch::allclose(found.sd, torch::full_like(found.sd, std::sqrt(5.0))));
}

TEST(GaussianPosterior, OutputsInformEachOther) {
  // Two outputs that are nearly the same function, observed at one place: far away the prior, nearby both move.
  const GpParameters joint{.variance = 1, .noise = 0.1, .outputs = {1, 0.99, 0.99, 1}};
  const torch::Tensor y = torch::tensor({{2.0, 2.0}}, torch::kFloat64);
  const Prediction together = Posterior(joint, Column({0}), y, Column({0}));
  GpParameters apart = joint;
  apart.outputs.clear();
  const Prediction alone = Posterior(apart, Column({0}), y, Column({0}));
  EXPECT_LT(together.sd.max().item<double>(), alone.sd.min().item<double>());
  // With output covariance I it is two Gaussian processes.
  GpParameters identity = joint;
  identity.outputs = {1, 0, 0, 1};
  const Prediction same = Posterior(identity, Column({0}), y, Column({0}));
  EXPECT_TRUE(torch::allclose(same.mean, alone.mean));
  EXPECT_TRUE(torch::allclose(same.sd, alone.sd));
}

// Where the inducing points tell all of the others, their posterior is the exact one.
TEST(GaussianPosterior, InducingPointsAreNearTheExactOne) {
  torch::manual_seed(8);
  for (const GpKernel kernel : {GpKernel::kSquaredExponential, GpKernel::kMatern52, GpKernel::kLinear}) {
    const GpParameters p{
        .kernel = kernel, .lengthscale = {0.5, 0.9}, .variance = 2, .noise = 0.3, .outputs = {1, 0.6, 0.6, 2}};
    const torch::Tensor x = torch::rand({700, 2}, torch::kFloat64) * 3, at = torch::rand({60, 2}, torch::kFloat64) * 3;
    const torch::Tensor y = x.sin() + 0.3 * torch::randn({700, 2}, torch::kFloat64);
    const Prediction exact = GaussianPosterior(p, x, y).Predict(at);
    const Prediction near = GaussianPosterior(p, x, y, /*max_exact_points=*/0).Predict(at);
    EXPECT_LT((near.mean - exact.mean).abs().max().item<double>(), 0.05);
    EXPECT_LT((near.sd / exact.sd).log().abs().max().item<double>(), 0.02);
  }
}

torch::Tensor Draw(const GpParameters& p, const torch::Tensor& x) {
  const int64_t n = x.size(0);
  const torch::Tensor k = GpCovariance(p, x, x) + p.noise * p.noise * torch::eye(n, torch::kFloat64);
  return StableCholesky(k).mm(torch::randn({n, 1}, torch::kFloat64));
}

double LogMarginal(const GpParameters& p, const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor k = GpCovariance(p, x, x) + p.noise * p.noise * torch::eye(x.size(0), torch::kFloat64);
  return (-0.5 * y.t().mm(k.inverse()).mm(y) - 0.5 * torch::logdet(k)).item<double>();
}

TEST(FitGaussianProcess, FindsAtLeastTheLikelihoodOfTheTruth) {
  for (const GpKernel kernel : {GpKernel::kSquaredExponential, GpKernel::kMatern52}) {
    torch::manual_seed(11);
    const GpParameters truth{.kernel = kernel, .lengthscale = {0.6}, .variance = 1.3, .noise = 0.15};
    const torch::Tensor x = torch::rand({60, 1}, torch::kFloat64) * 6;
    const torch::Tensor y = Draw(truth, x);
    const GpParameters fitted = FitGaussianProcess(x, y, kernel);
    EXPECT_GT(LogMarginal(fitted, x, y), LogMarginal(truth, x, y));
    EXPECT_NEAR(fitted.noise, 0.15, 0.06);
    EXPECT_NEAR(std::log(fitted.lengthscale[0] / 0.6), 0, 0.7);
  }
}

TEST(FitGaussianProcess, TellsInputsThatMatterFromThoseThatDoNot) {
  torch::manual_seed(3);
  const torch::Tensor x = torch::rand({50, 2}, torch::kFloat64) * 4;
  const torch::Tensor y = (2 * x.narrow(1, 0, 1)).sin() + 0.05 * torch::randn({50, 1}, torch::kFloat64);
  const GpParameters fitted = FitGaussianProcess(x, y);
  EXPECT_GT(fitted.lengthscale[1], 4 * fitted.lengthscale[0]);
}

TEST(FitGaussianProcess, LearnsHowOutputsGoTogether) {
  torch::manual_seed(4);
  const torch::Tensor x = torch::rand({40, 1}, torch::kFloat64) * 4;
  const torch::Tensor f = Draw({.lengthscale = {0.7}, .noise = 0.05}, x);
  const torch::Tensor y = torch::cat({f, -f + 0.05 * torch::randn({40, 1}, torch::kFloat64)}, 1);
  const GpParameters fitted = FitGaussianProcess(x, y);
  ASSERT_EQ(fitted.outputs.size(), 4u);
  const double correlation = fitted.outputs[1] / std::sqrt(fitted.outputs[0] * fitted.outputs[3]);
  EXPECT_LT(correlation, -0.9);
}

// Noise alone: an unbounded fit goes through some triples of points and is certain between them.
TEST(FitGaussianProcess, AFewPointsAreNotFittedWithoutNoise) {
  torch::manual_seed(5);
  double worst = 0;
  for (int task = 0; task < 20; ++task) {
    const torch::Tensor x = torch::rand({3, 1}, torch::kFloat64) * 4, y = torch::randn({3, 1}, torch::kFloat64);
    const torch::Tensor at = torch::rand({50, 1}, torch::kFloat64) * 4, truth = torch::randn({50, 1}, torch::kFloat64);
    const Prediction p = Posterior(FitGaussianProcess(x, y), x, y, at);
    const torch::Tensor errors = (truth - p.mean.view({50, 1})) / p.sd.view({50, 1});
    worst = std::max(worst, errors.square().mean().item<double>());
  }
  EXPECT_LT(worst, 100);
}

TEST(FitGaussianProcess, TheScaleOfTheDataDoesNotMatter) {
  torch::manual_seed(6);
  const torch::Tensor x = torch::rand({30, 1}, torch::kFloat64), y = (9 * x).sin() + 0.1 * torch::randn_like(x);
  const GpParameters one = FitGaussianProcess(x, y);
  const GpParameters other = FitGaussianProcess(1000 * x, 0.5 * y);
  EXPECT_NEAR(other.lengthscale[0] / one.lengthscale[0], 1000, 20);
  EXPECT_NEAR(other.noise / one.noise, 0.5, 0.02);
}

// Inputs that tell nothing of each other have no lengthscale that is best: the priors keep it within bounds.
TEST(FitGaussianProcess, IsFiniteForAnyScaleOfTheData) {
  torch::manual_seed(9);
  for (const double scale : {1e-12, 1e-3, 1e12}) {
    const torch::Tensor x = torch::rand({20, 2}, torch::kFloat64) * scale, y = torch::randn({20, 1}, torch::kFloat64);
    const GpParameters fitted = FitGaussianProcess(x, y / scale);
    EXPECT_TRUE(std::isfinite(LogMarginal(fitted, x, y / scale))) << scale;
  }
}

// The parameters of a long table are those of a part of it; all of its points are in the prediction.
TEST(FittedGaussianProcess, UsesAllPointsOfALongTable) {
  torch::manual_seed(7);
  const torch::Tensor x = torch::rand({1, 3000, 1}, torch::kFloat64) * 4;
  const torch::Tensor y = (5 * x).sin() + 0.5 * torch::randn({1, 3000, 1}, torch::kFloat64);
  FittedGaussianProcess gp;
  const torch::Tensor at = torch::linspace(0.2, 3.8, 50, torch::kFloat64).view({1, 50, 1});
  const auto error = [&](int64_t points) {
    const Prediction p = gp.Predict(x.narrow(1, 0, points), y.narrow(1, 0, points), at);
    return (p.mean[0] - (5 * at).sin()).square().mean().sqrt().item<double>();
  };
  EXPECT_LT(error(3000), 0.05);
  EXPECT_LT(error(3000), error(300));
}

TEST(FittedGaussianProcess, PredictsWithAnyNumberOfPoints) {
  FittedGaussianProcess gp;
  for (const int64_t m : {0, 1, 2, 5}) {
    const Prediction p = gp.Predict(torch::rand({2, m, 1}), torch::randn({2, m, 1}), torch::rand({2, 3, 1}));
    EXPECT_EQ(p.mean.sizes().vec(), (std::vector<int64_t>{1, 2, 3, 1}));
    EXPECT_TRUE(p.mean.isfinite().all().item<bool>());
    EXPECT_TRUE((p.sd > 0).all().item<bool>());
  }
}

TEST(GpKernelNames, AreRead) {
  EXPECT_EQ(ParseGpKernel("matern52"), GpKernel::kMatern52);
  EXPECT_THROW(ParseGpKernel("rbf"), InputError);
}

TEST(GpCovariances, AreThoseOfTheFunctionsOneByOne) {
  const torch::Tensor x = torch::randn({5, 7, 2}, torch::kFloat64);
  std::vector<GpParameters> parameters;
  for (const char* kernel : {"linear", "se", "matern52", "se", "periodic"}) {
    const double i = static_cast<double>(parameters.size());
    parameters.push_back(
        {.kernel = ParseGpKernel(kernel), .lengthscale = {0.5 + i, 1.5}, .smoothness = 1 + 0.1 * i, .variance = 2 + i});
  }
  const torch::Tensor all = GpCovariances(parameters, x);
  for (int64_t b = 0; b < 5; ++b) {
    EXPECT_TRUE(torch::allclose(all[b], GpCovariance(parameters[static_cast<size_t>(b)], x[b], x[b]), 1e-12, 1e-12));
  }
}

// A matrix that needs no jitter gets none because of the others.
TEST(StableCholesky, AddsAsLittleAsEachMatrixNeeds) {
  const torch::Tensor good = torch::eye(3, torch::kFloat64) + 0.5, singular = torch::ones({3, 3}, torch::kFloat64);
  const torch::Tensor factors = StableCholesky(torch::stack({good, singular}));
  EXPECT_TRUE(factors[0].equal(StableCholesky(good)));
  EXPECT_TRUE(factors[1].equal(StableCholesky(singular)));
  EXPECT_TRUE(torch::allclose(torch::matmul(factors[1], factors[1].t()), singular, 0, 1e-6));
}

}  // namespace
}  // namespace haplospin
