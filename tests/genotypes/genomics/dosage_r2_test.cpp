#include "genotypes/genomics/dosage_r2.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

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

TEST(EstimatedDosageR2, IsOneForCertainAllelesAndZeroForUninformativeOnes) {
  EXPECT_DOUBLE_EQ(EstimatedDosageR2(std::vector<float>{0, 1, 1, 0, 0}), 1);
  EXPECT_NEAR(EstimatedDosageR2(std::vector<float>{0.25f, 0.25f, 0.25f}), 0, 1e-12);
}

TEST(EstimatedDosageR2, IsZeroWhereNothingVaries) {
  EXPECT_EQ(EstimatedDosageR2({}), 0);
  EXPECT_EQ(EstimatedDosageR2(std::vector<float>{0, 0, 0}), 0);
  EXPECT_EQ(EstimatedDosageR2(std::vector<float>{1, 1}), 0);
}

TEST(EstimatedDosageR2, IsTheRatioOfVariances) {
  // Half at a, half at b: variance (a - b)^2 / 4 over m (1 - m).
  const double a = 0.125, b = 0.875;
  EXPECT_NEAR(EstimatedDosageR2(std::vector<float>{0.125f, 0.875f}), (b - a) * (b - a) / 4 / 0.25, 1e-12);
  EXPECT_NEAR(EstimatedDosageR2(std::vector<float>{0, 0, 0, 0.5f}), (0.0625 - 0.015625) / (0.125 * 0.875), 1e-12);
}

// If the probabilities are right, it is the squared correlation with the truth.
TEST(EstimatedDosageR2, PredictsTheCorrelationWithTheTruth) {
  std::mt19937 random(6);
  std::vector<float> probabilities(200'000);
  double sum_p = 0, sum_t = 0, sum_pp = 0, sum_pt = 0;
  for (float& p : probabilities) {
    const float u = std::uniform_real_distribution<float>()(random);
    p = u * u * u;
    const double truth = std::bernoulli_distribution(p)(random);
    sum_p += p;
    sum_t += truth;
    sum_pp += double{p} * p;
    sum_pt += p * truth;
  }
  const auto n = static_cast<double>(probabilities.size());
  const double covariance = sum_pt / n - sum_p / n * sum_t / n;
  const double variance_p = sum_pp / n - sum_p / n * sum_p / n, variance_t = sum_t / n * (1 - sum_t / n);
  EXPECT_NEAR(EstimatedDosageR2(probabilities), covariance * covariance / (variance_p * variance_t), 0.01);
}

}  // namespace
}  // namespace haplospin
