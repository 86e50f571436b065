#include "genotypes/genomics/genotype_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(CallGenotype, IsTheMostProbableOne) {
  EXPECT_THAT(CallGenotype(0, 0), ElementsAre(0, 0));
  EXPECT_THAT(CallGenotype(1, 0), ElementsAre(1, 0));
  EXPECT_THAT(CallGenotype(1, 1), ElementsAre(1, 1));
  EXPECT_THAT(CallGenotype(0.2f, 0.9f), ElementsAre(0, 1));
  EXPECT_THAT(CallGenotype(0.45f, 0.4f), ElementsAre(1, 0));  // 0.33, 0.49, 0.18
  EXPECT_THAT(CallGenotype(0.6f, 0.55f), ElementsAre(1, 0));  // 0.18, 0.49, 0.33
  EXPECT_THAT(CallGenotype(0.3f, 0.3f), ElementsAre(0, 0));   // 0.49, 0.42, 0.09
}

// A phase that is drawn from the probabilities has no genotype more often than the one that is called.
TEST(CallGenotype, IsAsFrequentAsAnyInDraws) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const float first = uniform(random), second = uniform(random);
    std::array<int, 3> counts{};
    for (int draw = 0; draw < 4000; ++draw) ++counts[(uniform(random) < first) + (uniform(random) < second)];
    const auto [a, b] = CallGenotype(first, second);
    EXPECT_GT(counts[a + b], *std::ranges::max_element(counts) - 250) << first << ' ' << second;
  }
}

}  // namespace
}  // namespace haplospin
