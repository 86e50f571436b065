#include "genomics/dosage_sums.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.h"

namespace haplospin {
namespace {

TEST(DosageSums, CorrelationHasTheSignThatR2Lacks) {
  RandomStream random(1);
  DosageSums sums, opposite;
  for (int i = 0; i < 100; ++i) {
    const double x = random.Uniform(), y = x + random.Uniform();
    sums.Add(x, y);
    opposite.Add(x, 1 - y);
  }
  EXPECT_GT(sums.Correlation(), 0.5);
  EXPECT_NEAR(sums.Correlation() * sums.Correlation(), sums.PooledR2(), 1e-12);
  EXPECT_NEAR(opposite.Correlation(), -sums.Correlation(), 1e-12);
}

TEST(DosageSums, ConstantsHaveNoCorrelation) {
  DosageSums sums;
  EXPECT_TRUE(std::isnan(sums.Correlation()));
  for (int i = 0; i < 100; ++i) sums.Add(0.1, i % 3);
  EXPECT_TRUE(std::isnan(sums.Correlation()));
  EXPECT_TRUE(std::isnan(sums.PooledR2()));
  EXPECT_EQ(sums.SiteR2(), 0);
}

}  // namespace
}  // namespace haplospin
