#include "learning/nn/layers/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "learning/nn/random_state.h"

namespace haplospin {
namespace {

TEST(Dropout, DropsTheShareAskedForAndKeepsTheMean) {
  SeedGenerators(1);
  for (const double p : {0.01, 0.1, 0.5, 0.9}) {
    const torch::Tensor factors = DropoutFactors(torch::empty({1001, 999}), p);
    const double entries = static_cast<double>(factors.numel());
    const double deviation = std::sqrt(p * (1 - p) / entries);
    EXPECT_NEAR((factors == 0).to(torch::kFloat64).mean().item<double>(), p, 5 * deviation + 1e-5);
    EXPECT_NEAR(factors.max().item<double>(), 1 / (1 - p), 1e-5);
    EXPECT_NEAR(factors.to(torch::kFloat64).mean().item<double>(), 1.0, 1e-4 + 5 * deviation / (1 - p));
  }
}

TEST(Dropout, NeighborsAreIndependent) {
  SeedGenerators(2);
  const torch::Tensor dropped = (DropoutFactors(torch::empty({1 << 20}), 0.5) == 0).to(torch::kFloat64) - 0.5;
  for (const int apart : {1, 2, 3, 4, 8, 64}) {
    const torch::Tensor product =
        dropped.narrow(0, 0, dropped.size(0) - apart) * dropped.narrow(0, apart, dropped.size(0) - apart);
    EXPECT_NEAR(product.mean().item<double>(), 0.0, 5 * 0.25 / 1024) << apart;
  }
}

TEST(Dropout, FollowsTheGeneratorOfLibTorch) {
  const torch::Tensor like = torch::empty({7, 3});
  SeedGenerators(3);
  const torch::Tensor first = DropoutFactors(like, 0.5), second = DropoutFactors(like, 0.5);
  EXPECT_FALSE(first.equal(second));
  SeedGenerators(3);
  EXPECT_TRUE(DropoutFactors(like, 0.5).equal(first));
}

TEST(Dropout, DoesNothingOutsideTraining) {
  Dropout dropout(0.5);
  const torch::Tensor x = torch::randn({50, 4});
  EXPECT_FALSE(dropout(x).equal(x));
  dropout->eval();
  EXPECT_TRUE(dropout(x).equal(x));
}

}  // namespace
}  // namespace haplospin
