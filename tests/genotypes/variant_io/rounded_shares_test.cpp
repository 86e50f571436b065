#include "genotypes/variant_io/writing/rounded_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(RoundedSharesTest, TheDosageIsNearest) {
  EXPECT_EQ(RoundShare(1, 3, 255), 85);
  EXPECT_EQ(RoundShare(1, 2, 255), 128);
  EXPECT_THAT(RoundGenotype({1, 0, 0}, 255), ElementsAre(255, 0, 0));
  EXPECT_THAT(RoundGenotype({0, 1, 0}, 255), ElementsAre(0, 255, 0));
  EXPECT_THAT(RoundGenotype({1, 1, 1}, 255), ElementsAre(85, 85, 85));
  EXPECT_THAT(RoundGenotype({10, 30, 60}, 8), ElementsAre(1, 2, 5));   // 0.8, 2.4, 4.8: a dosage of 12
  EXPECT_THAT(RoundGenotype({45, 10, 45}, 10), ElementsAre(5, 0, 5));  // rather than 4.5, 1, 4.5
}

TEST(RoundedSharesTest, TheSumIsExactAndTheDosageIsWithinHalfAStep) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 10000; ++repeat) {
    const uint64_t steps = repeat % 2 == 0 ? 255 : 65535;
    std::array<uint64_t, 3> weights;
    for (uint64_t& weight : weights) weight = random() % 100'000'000 >> random() % 27;
    weights[random() % 3] += 1;
    const auto shares = RoundGenotype(weights, steps);
    EXPECT_EQ(shares[0] + shares[1] + shares[2], steps);
    const auto whole = static_cast<double>(weights[0] + weights[1] + weights[2]);
    const auto exact = [&](size_t i) { return static_cast<double>(weights[i] * steps) / whole; };
    for (size_t i = 0; i < 3; ++i) EXPECT_LE(std::abs(static_cast<double>(shares[i]) - exact(i)), 1.5) << i;
    EXPECT_LE(std::abs(static_cast<double>(shares[1] + 2 * shares[2]) - exact(1) - 2 * exact(2)), 0.5 + 1e-9);
  }
}

// However many they are: if each were rounded to the nearest step, their sum could be half as large again, or none.
TEST(RoundedSharesTest, ManySharesHaveAnExactSum) {
  std::vector<uint64_t> shares{3, 0, 1, 2};
  RoundShares(shares, 10);
  EXPECT_THAT(shares, ElementsAre(5, 0, 2, 3));
  for (const size_t count : {1, 101, 6000, 12'000, 30'000}) {
    shares.assign(count, 98);
    RoundShares(shares, 10'000);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), uint64_t{0}), 10'000u) << count;
    EXPECT_LE(std::ranges::max(shares) - std::ranges::min(shares), 1) << count;
  }
}

}  // namespace
}  // namespace haplospin
