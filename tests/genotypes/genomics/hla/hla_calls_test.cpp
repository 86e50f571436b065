#include "genotypes/genomics/hla/hla_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.h"

namespace haplospin {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

std::vector<HlaAllele> Alleles(const std::vector<const char*>& names) {
  std::vector<HlaAllele> alleles;
  for (const char* name : names) alleles.push_back(*ParseHlaAllele(name));
  return alleles;
}

HlaCall Call(const std::vector<HlaAllele>& alleles, const std::vector<std::vector<float>>& probabilities) {
  std::vector<std::span<const float>> spans(probabilities.begin(), probabilities.end());
  return CallHlaType(alleles, spans);
}

TEST(HlaCalls, AreThePairsOfLargestProbability) {
  const auto alleles = Alleles({"A*01:01", "A*02:01", "A*02:05"});
  const HlaCall call = Call(alleles, {{0, 0.8f, 0.2f}, {0.9f, 0.1f, 0}});
  EXPECT_THAT(call.best.alleles, ElementsAre(0, 1));
  EXPECT_THAT(call.best.probability, DoubleNear(0.72, 1e-6));
  EXPECT_THAT(call.next->alleles, ElementsAre(0, 2));
  EXPECT_THAT(call.next->probability, DoubleNear(0.18, 1e-6));
  EXPECT_EQ(call.certain_fields, 0u);
}

TEST(HlaCalls, FieldsAreCertainTogether) {
  const auto alleles = Alleles({"A*01:01", "A*02:01", "A*02:05"});
  EXPECT_EQ(Call(alleles, {{0, 0.8f, 0.2f}, {1, 0, 0}}).certain_fields, 1u);
  EXPECT_EQ(Call(alleles, {{0, 0.96f, 0.04f}, {1, 0, 0}}).certain_fields, 2u);
  // Which of the two haplotypes has an allele does not matter.
  EXPECT_EQ(Call(alleles, {{0, 0.5f, 0.5f}, {0, 0.5f, 0.5f}}).certain_fields, 1u);
}

// Against the sum over all ordered pairs.
TEST(HlaCalls, AreThoseOfAllPairs) {
  const auto alleles = Alleles({"A*01:01", "A*01:02", "A*02:01", "A*02:05", "A*03"});
  RandomStream random(1);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::vector<float>> p(2, std::vector<float>(5));
    for (auto& row : p) {
      float sum = 0;
      for (float& value : row) sum += value = static_cast<float>(std::pow(random.Uniform(), 4));
      for (float& value : row) value /= sum;
    }
    double best = 0, next = 0;
    for (size_t a = 0; a < 5; ++a) {
      for (size_t b = a; b < 5; ++b) {
        const double pair = a == b ? p[0][a] * p[1][a] : p[0][a] * p[1][b] + p[0][b] * p[1][a];
        if (pair > best) {
          next = best;
          best = pair;
        } else {
          next = std::max(next, pair);
        }
      }
    }
    // They need not sum to 1.
    for (float& value : p[0]) value *= 0.5f;
    const HlaCall call = Call(alleles, p);
    ASSERT_NEAR(call.best.probability, best, 1e-6);
    ASSERT_NEAR(call.next->probability, next, 1e-6);
  }
}

TEST(HlaCalls, OfOneHaplotypeAndOneAllele) {
  const auto alleles = Alleles({"A*01:01", "A*02:01"});
  const HlaCall haploid = Call(alleles, {{0.99f, 0.01f}});
  EXPECT_THAT(haploid.best.alleles, ElementsAre(0, 0));
  EXPECT_THAT(haploid.best.probability, DoubleNear(0.99, 1e-6));
  EXPECT_EQ(haploid.certain_fields, 2u);
  EXPECT_FALSE(Call(Alleles({"A*01:01"}), {{1}, {1}}).next.has_value());
}

// Such a haplotype has an allele that the panel does not have at this resolution.
TEST(HlaCalls, OfAHaplotypeWithoutAnAllele) {
  const HlaCall call = Call(Alleles({"A*01:01", "A*02:01"}), {{0, 1}, {0, 0}});
  EXPECT_THAT(call.best.probability, DoubleNear(0.5, 1e-6));
  EXPECT_EQ(call.certain_fields, 0u);
}

}  // namespace
}  // namespace haplospin
