#include "learning/tabular/error_quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace haplospin {
namespace {

TEST(NormalQuantile, IsThatOfTheTables) {
  EXPECT_NEAR(NormalQuantile(0.5), 0, 1e-9);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(NormalQuantile(0.001), -3.090232, 1e-5);
}

// On average over samples, a further error is below the quantile with its probability.
TEST(ErrorQuantile, HasItsShareOfFurtherErrors) {
  std::mt19937 random(1);
  std::exponential_distribution<float> error;
  for (const size_t n : {9, 40, 500}) {
    for (const double probability : {0.1, 0.5, 0.9}) {
      double below = 0;
      for (int trial = 0; trial < 2000; ++trial) {
        std::vector<float> errors(n);
        for (float& value : errors) value = error(random);
        std::ranges::sort(errors);
        below += error(random) < ErrorQuantile(errors, probability) ? 1 : 0;
      }
      EXPECT_NEAR(below / 2000, probability, 0.03) << n;
    }
  }
}

TEST(ErrorQuantile, GrowsBeyondTheErrors) {
  const std::vector<float> errors = {-2, -1, 0, 1, 2};
  EXPECT_LT(ErrorQuantile(errors, 0.01), -2.5);
  EXPECT_GT(ErrorQuantile(errors, 0.99), 2.5);
  EXPECT_NEAR(ErrorQuantile(errors, 0.5), 0, 1e-9);
}

}  // namespace
}  // namespace haplospin
