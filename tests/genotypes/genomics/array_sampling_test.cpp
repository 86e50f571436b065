#include "genotypes/genomics/array_sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace haplospin {
namespace {

using ::testing::ElementsAre;

TEST(ArraySampling, DrawsInProportionToHeterozygosity) {
  constexpr int kRounds = 400;
  // Half of the markers have p = 0.5 and heterozygosity 0.5, half 0.0528 and 0.1; a few are monomorphic.
  size_t common = 0, rare = 0;
  for (uint64_t round = 0; round < kRounds; ++round) {
    ArraySampling sampling;
    RandomStream random(3, {round});
    for (int m = 0; m < 200; ++m) sampling.Offer(m % 2 == 0 ? 0.5 : 0.0528, random);
    sampling.Offer(0, random);
    sampling.Offer(1, random);
    EXPECT_EQ(sampling.num_polymorphic(), 200u);
    const auto drawn = sampling.Draw(10);
    EXPECT_TRUE(std::ranges::is_sorted(drawn));
    EXPECT_EQ(std::ranges::adjacent_find(drawn), drawn.end());
    for (const size_t m : drawn) {
      ASSERT_LT(m, 200u);
      ++(m % 2 == 0 ? common : rare);
    }
  }
  EXPECT_NEAR(static_cast<double>(common) / static_cast<double>(rare), 5, 0.6);
}

TEST(ArraySampling, CanDrawAll) {
  ArraySampling sampling;
  RandomStream random(1);
  for (const double frequency : {0.1, 0.0, 0.2, 1.0, 0.3}) sampling.Offer(frequency, random);
  EXPECT_THAT(sampling.Draw(3), ElementsAre(0, 2, 4));
}

}  // namespace
}  // namespace haplospin
