#include "genotypes/imputation/stages/phasing/phase_alternatives.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace haplospin {
namespace {

TEST(PhaseAlternativesTest, CertainPhaseHasNone) {
  const std::vector<bool> best{false, true, false};
  const std::vector<std::vector<bool>> draws(10, best);
  const auto alternatives = FindAlternatives(best, draws, {.count = 2});
  ASSERT_EQ(alternatives.size(), 1u);
  EXPECT_EQ(alternatives[0].cis, best);
  EXPECT_EQ(alternatives[0].weight, std::vector<float>(4, 1.0f));
}

TEST(PhaseAlternativesTest, AmbiguousStretchesAreWeightedByThemselves) {
  // Two stretches far apart: at 2 three of ten draws differ; at 20 and 21 two draws have one pattern, one another.
  std::vector<bool> best(30, true);
  std::vector<std::vector<bool>> draws(10, best);
  for (size_t k : {0, 1, 2}) draws[k][2] = false;
  for (size_t k : {4, 5}) draws[k][20] = draws[k][21] = false;
  draws[6][21] = false;
  const auto alternatives = FindAlternatives(best, draws, {.count = 2});
  ASSERT_EQ(alternatives.size(), 3u);
  EXPECT_EQ(alternatives[0].cis, best);
  EXPECT_FALSE(alternatives[1].cis[2]);
  EXPECT_FALSE(alternatives[1].cis[20]);
  EXPECT_FALSE(alternatives[1].cis[21]);
  EXPECT_TRUE(alternatives[2].cis[2]);
  EXPECT_TRUE(alternatives[2].cis[20]);
  EXPECT_FALSE(alternatives[2].cis[21]);
  const auto weights = [&](size_t place) {
    return std::vector<float>{alternatives[0].weight[place], alternatives[1].weight[place],
                              alternatives[2].weight[place]};
  };
  EXPECT_EQ(weights(2), (std::vector<float>{0.7f, 0.3f, 0}));
  const auto at_20 = weights(20);
  EXPECT_FLOAT_EQ(at_20[0], 0.7f);
  EXPECT_FLOAT_EQ(at_20[1], 0.2f);
  EXPECT_FLOAT_EQ(at_20[2], 0.1f);
  EXPECT_EQ(FindAlternatives(best, draws, {.count = 2, .reach = 4})[1].weight[12], 0);  // far from both
}

TEST(PhaseAlternativesTest, WeightsSumToOne) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed);
    std::vector<bool> best(40);
    for (size_t h = 0; h < best.size(); ++h) best[h] = random.Bernoulli(0.5);
    std::vector<std::vector<bool>> draws(16, best);
    for (std::vector<bool>& draw : draws) {
      for (size_t h = 1; h < draw.size(); ++h) {
        if (random.Bernoulli(0.1)) draw[h] = !draw[h];
      }
    }
    for (size_t count : {0, 1, 2, 5}) {
      const auto alternatives = FindAlternatives(best, draws, {.count = count, .reach = 3});
      for (size_t place = 0; place <= best.size(); ++place) {
        float sum = 0;
        for (const PhaseAlternative& alternative : alternatives) sum += alternative.weight[place];
        EXPECT_NEAR(sum, 1, 1e-5);
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
