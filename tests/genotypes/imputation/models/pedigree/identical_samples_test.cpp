#include "genotypes/imputation/models/pedigree/identical_samples.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace haplospin {
namespace {

constexpr size_t kMarkers = 1000, kSamples = 6;

// Markers of two contigs that span `centimorgans`; the genotypes of samples 1 and 4 are the same but for `errors`.
SpacedGenotypes Genotypes(double centimorgans, size_t errors, double missing_share = 0) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  std::vector<SpacedMarker> markers(kMarkers);
  std::vector<std::vector<uint8_t>> genotypes(kMarkers, std::vector<uint8_t>(kSamples));
  for (size_t m = 0; m < kMarkers; ++m) {
    markers[m] = {m < kMarkers / 2 ? 0u : 1u, centimorgans * static_cast<double>(m % (kMarkers / 2)) / (kMarkers - 2)};
    for (uint8_t& genotype : genotypes[m]) genotype = static_cast<uint8_t>(random() % 3);
    markers[m].frequency = 0.5;
    genotypes[m][4] = m < errors ? (genotypes[m][1] + 1) % 3 : genotypes[m][1];
    for (uint8_t& genotype : genotypes[m]) {
      if (uniform(random) < missing_share) genotype = 3;
    }
  }
  return {markers, genotypes, kSamples};
}

TEST(IdenticalSamplesTest, APersonTwiceIsFoundDespiteErrorsAndMissingGenotypes) {
  for (const double missing : {0.0, 0.5}) {
    const std::vector<IdenticalPair> pairs = FindIdenticalSamples(Genotypes(450, 8, missing));
    ASSERT_EQ(pairs.size(), 1u) << missing;
    EXPECT_EQ(pairs[0].a, 1u);
    EXPECT_EQ(pairs[0].b, 4u);
    EXPECT_NEAR(pairs[0].agreement, 0.992, 0.01);
  }
}

TEST(IdenticalSamplesTest, OthersAreNot) {
  EXPECT_TRUE(FindIdenticalSamples(Genotypes(450, 30)).empty());      // 3 % differ
  EXPECT_TRUE(FindIdenticalSamples(Genotypes(350, 0)).empty());       // short enough to be sibs
  EXPECT_TRUE(FindIdenticalSamples(Genotypes(450, 0, 0.8)).empty());  // 40 markers that both have
  EXPECT_NEAR(Genotypes(450, 0).Span(), 450, 1);
  EXPECT_EQ(Genotypes(450, 0).NumContigs(), 2u);
}

// At rare alleles, everybody agrees with everybody.
TEST(IdenticalSamplesTest, AgreementMustBeMoreThanByChance) {
  std::vector<SpacedMarker> markers(kMarkers);
  std::vector<std::vector<uint8_t>> genotypes(kMarkers, std::vector<uint8_t>(kSamples));
  for (size_t m = 0; m < kMarkers; ++m) {
    markers[m] = {.contig = 0, .centimorgans = static_cast<double>(m), .frequency = 0.01};
    if (m % 50 == 0) genotypes[m][m / 50 % kSamples] = 1;
  }
  EXPECT_TRUE(FindIdenticalSamples({markers, genotypes, kSamples}).empty());
}

}  // namespace
}  // namespace haplospin
