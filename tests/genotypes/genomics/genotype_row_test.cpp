#include <gtest/gtest.h>

#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

TEST(GenotypeRowTest, WithoutTablesAllIsPhasedInOneSetAndNothingElseIsKnown) {
  const GenotypeRow row{.alleles = {0, 1, 1}};
  for (const size_t sample : {0, 1}) {
    EXPECT_FALSE(row.IsUnphased(sample));
    EXPECT_EQ(row.PhaseSet(sample), 0u);
    EXPECT_TRUE(row.Likelihoods(sample).IsFlat());
  }
  EXPECT_FALSE(row.HasLikelihoods());
}

TEST(GenotypeRowTest, TablesHaveAnEntryForEachSample) {
  const GenotypeRow row{
      .alleles = {0, 1, 1}, .unphased = {0, 1}, .phase_sets = {7, 0}, .likelihoods = {{{0, 3, 20}}, {{9, 0, 9}}}};
  EXPECT_FALSE(row.IsUnphased(0));
  EXPECT_TRUE(row.IsUnphased(1));
  EXPECT_EQ(row.PhaseSet(0), 7u);
  EXPECT_EQ(row.PhaseSet(1), 0u);
  EXPECT_TRUE(row.HasLikelihoods());
  EXPECT_EQ(row.Likelihoods(1).phred[1], 0);
}

TEST(GenotypeRowTest, OneMissingAlleleIsEnough) {
  EXPECT_FALSE((GenotypeRow{.alleles = {0, 1, 1}}.HasMissing()));
  EXPECT_TRUE((GenotypeRow{.alleles = {0, 1, kMissingAllele}}.HasMissing()));
  EXPECT_FALSE(GenotypeRow().HasMissing());
}

// A read of each allele is evidence of a heterozygote.
TEST(GenotypeLikelihoodsTest, LikelihoodsThatTellNothingAreFlat) {
  EXPECT_TRUE((GenotypeLikelihoods{{0, 0, 0}}.IsFlat()));
  EXPECT_TRUE((GenotypeLikelihoods{{0, 255, 0}}.IsFlat()));  // haploid
  EXPECT_FALSE((GenotypeLikelihoods{{17, 0, 17}}.IsFlat()));
  EXPECT_FALSE((GenotypeLikelihoods{{0, 3, 20}}.IsFlat()));
}

}  // namespace
}  // namespace haplospin
