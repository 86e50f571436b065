#include "variant_io/writing/rounded_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(RoundedSharesTest, RoundsUpThoseThatLoseMost) {
  EXPECT_THAT((RoundShares<2>({1, 0}, 255)), ElementsAre(255, 0));
  EXPECT_THAT((RoundShares<3>({1, 1, 1}, 255)), ElementsAre(85, 85, 85));
  EXPECT_THAT((RoundShares<3>({10, 30, 60}, 8)), ElementsAre(1, 2, 5));  // 0.8, 2.4, 4.8
  EXPECT_THAT((RoundShares<3>({35, 34, 31}, 2)), ElementsAre(1, 1, 0));  // 0.70, 0.68, 0.62
}

TEST(RoundedSharesTest, TheSumIsExactAndEachIsWithinOneStep) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 10000; ++repeat) {
    const uint64_t steps = repeat % 2 == 0 ? 255 : 65535;
    std::array<uint64_t, 3> weights;
    for (uint64_t& weight : weights) weight = random() % 100'000'000 >> random() % 27;
    weights[random() % 3] += 1;
    const auto shares = RoundShares<3>(weights, steps);
    EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), uint64_t{0}), steps);
    const auto whole = static_cast<double>(weights[0] + weights[1] + weights[2]);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_LT(std::abs(shares[i] - static_cast<double>(weights[i] * steps) / whole), 1);
    }
  }
}

}  // namespace
}  // namespace haplospin
