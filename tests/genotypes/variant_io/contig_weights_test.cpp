#include "genotypes/variant_io/joining/contig_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "genotypes/genomics/quantized_probability.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

using testing::Each;
using testing::FloatNear;

// A typed marker whose alleles are all ALT, with the same probability of it for each haplotype.
TypedSite Site(int64_t position, std::vector<uint32_t> first_haplotype, float left_out) {
  const size_t haplotypes = first_haplotype.back();
  return {{position, ".", "A", "C"},
          std::move(first_haplotype),
          std::vector<uint8_t>(haplotypes, 1),
          std::vector<uint16_t>(haplotypes, PackProbability(left_out))};
}

const std::vector<uint32_t> kDiploid{0, 2, 4}, kHaploid{0, 1, 3};

// Two panels: the first is better from 1 Mb on, and the second where a sample is haploid, from 2 Mb on.
ContigWeights Weights() {
  ContigWeights weights(2);
  for (int64_t i = 0; i < 100; ++i) {
    const TypedSite good = Site(1'000'000 + 5000 * i, kDiploid, 0.95F),
                    bad = Site(1'000'000 + 5000 * i, kDiploid, 0.4F);
    weights.Add(std::vector<const TypedSite*>{&good, &bad});
  }
  for (int64_t i = 0; i < 100; ++i) {
    const TypedSite good = Site(2'000'000 + 5000 * i, kHaploid, 0.95F),
                    bad = Site(2'000'000 + 5000 * i, kHaploid, 0.4F);
    weights.Add(std::vector<const TypedSite*>{&bad, &good});
  }
  weights.Find();
  return weights;
}

TEST(ContigWeightsTest, PartsOfOtherPloidyHaveTheirOwn) {
  const ContigWeights weights = Weights();
  EXPECT_EQ(weights.num_sites(), 200U);
  std::vector<float> values;
  weights.WeightsAt(1'200'001, kDiploid, values);
  ASSERT_EQ(values.size(), 8U);
  EXPECT_GT(values[0], 0.95F);
  EXPECT_LT(values[4], 0.05F);
  weights.WeightsAt(2'200'001, kHaploid, values);
  ASSERT_EQ(values.size(), 6U);
  EXPECT_LT(values[0], 0.05F);
  weights.WeightsAt(1'200'001, {0, 1, 2}, values);  // no typed marker with this ploidy
  EXPECT_THAT(values, Each(FloatNear(0.5F, 1e-6F)));
}

TEST(ContigWeightsTest, BeyondTheTypedMarkersAreThoseOfTheNearest) {
  const ContigWeights weights = Weights();
  std::vector<float> before, first, after, last;
  weights.WeightsAt(1, kDiploid, before);
  weights.WeightsAt(1'000'000, kDiploid, first);
  EXPECT_EQ(before, first);
  weights.WeightsAt(90'000'000, kHaploid, after);
  weights.WeightsAt(2'495'000, kHaploid, last);
  EXPECT_EQ(after, last);
}

TEST(ContigWeightsTest, TypedMarkersAreFoundByTheirAlleles) {
  const ContigWeights weights = Weights();
  const TypedSite* site = weights.FindSite({1'005'000, ".", "A", "C"});
  ASSERT_NE(site, nullptr);
  EXPECT_THAT(site->alleles, Each(1));
  for (const uint16_t p : site->left_out) EXPECT_NEAR(UnpackProbability(p), 0.95, 0.03);
  EXPECT_EQ(weights.FindSite({1'005'000, ".", "A", "G"}), nullptr);
  EXPECT_EQ(weights.FindSite({1'005'001, ".", "A", "C"}), nullptr);
}

}  // namespace
}  // namespace haplospin
