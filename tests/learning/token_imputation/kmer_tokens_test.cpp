#include "learning/token_imputation/kmer_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

TEST(KmerTokens, CountsTokens) {
  EXPECT_EQ(NumKmerTokens(0, 5), 0u);
  EXPECT_EQ(NumKmerTokens(5, 5), 1u);
  EXPECT_EQ(NumKmerTokens(6, 5), 2u);
  EXPECT_EQ(NumKmerTokens(7, 1), 7u);
}

TEST(KmerTokens, MarginalsOfOneClassAreItsAlleles) {
  for (uint32_t c = 0; c < 8; ++c) {
    std::vector<float> distribution(8);
    distribution[c] = 1;
    EXPECT_THAT(KmerAlleleProbabilities(distribution),
                ElementsAre(static_cast<float>(c & 1), static_cast<float>(c >> 1 & 1), static_cast<float>(c >> 2)));
  }
}

// Of independent markers, the marginals of the product are the markers' own probabilities.
TEST(KmerTokens, MarginalsOfAProductAreItsFactors) {
  std::mt19937 random(7);
  for (size_t k = 1; k <= 6; ++k) {
    std::vector<float> p(k), distribution(size_t{1} << k, 1);
    for (float& value : p) value = std::uniform_real_distribution<float>()(random);
    for (size_t c = 0; c < distribution.size(); ++c) {
      for (size_t i = 0; i < k; ++i) distribution[c] *= (c >> i & 1) != 0 ? p[i] : 1 - p[i];
    }
    const auto marginals = KmerAlleleProbabilities(distribution);
    ASSERT_EQ(marginals.size(), k);
    for (size_t i = 0; i < k; ++i) EXPECT_THAT(marginals[i], FloatNear(p[i], 1e-6f));
  }
}

}  // namespace
}  // namespace haplospin
