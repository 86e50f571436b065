#include "genomics/kmer_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::FloatNear;

TEST(KmerTokens, AreTheAllelesReadAsANumber) {
  EXPECT_THAT(KmerTokens(std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 1, 1, 0, 1}, 5), ElementsAre(1, 0b10110));
  EXPECT_THAT(KmerTokens(std::vector<uint8_t>{1, 0, 1, 1, 1}, 2), ElementsAre(0b01, 0b11, 0b1)) << "the last is short";
  EXPECT_THAT(KmerTokens({}, 5), ElementsAre());
}

TEST(KmerTokens, HaveAClassForMissingAlleles) {
  EXPECT_EQ(MissingKmer(5), 32u);
  EXPECT_THAT(KmerTokens(std::vector<uint8_t>{1, kMissingAllele, 1, 1, 0, 1, 1, 0, kMissingAllele}, 3),
              ElementsAre(MissingKmer(3), 0b101, MissingKmer(3)));
}

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
