#include "genotypes/imputation/window/window_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;

TEST(WindowStudyTest, MarkersThatTheStudyDoesNotHaveAreAllMissing) {
  const SampleTable samples = SampleTable::Diploid({"A"});
  StudyGenotypes genotypes{.contig = "1", .samples = samples};
  genotypes.alleles = {{0, 1}, {1, 1}, {2, 2}};
  genotypes.likelihoods = {{}, {}, {{{0, 3, 20}}}};
  const std::vector<uint32_t> panel_marker{2, 4, 5};
  WindowStudy study = TypedSites(samples, panel_marker, [&](size_t s) { return RowOf(genotypes, s); });
  study.phased = {1, 2};
  const std::vector<uint8_t> missing{kMissingAllele, kMissingAllele};
  AddUntyped({1, 7}, missing, study);
  EXPECT_THAT(study.typed, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(study.rows[1], &genotypes.alleles[0]);
  for (const size_t j : {0, 2, 5}) EXPECT_EQ(study.rows[j], &missing);
  EXPECT_TRUE(study.HasLikelihoods());
  EXPECT_EQ(study.Likelihoods(4, 0).phred[2], 20);
  EXPECT_TRUE(study.Likelihoods(3, 0).IsFlat());
  EXPECT_EQ(study.phased.begin, 3u);
  EXPECT_EQ(study.phased.end, 4u);
}

TEST(WindowStudyTest, InbredLinesAreNotOutbred) {
  const SampleTable samples{{"A", "B", "C"}, {0, 2, 4, 5}};  // C is haploid
  const auto is_outbred = [&](const std::vector<uint8_t>& alleles) {
    return WindowStudy{.samples = &samples, .typed = {0}, .rows = {&alleles}}.IsOutbred();
  };
  EXPECT_TRUE(is_outbred({0, 1, 1, 0, 0}));
  EXPECT_TRUE(is_outbred({0, 1, 1, 1, 0}));
  EXPECT_FALSE(is_outbred({0, 0, 1, 1, 0}));
  EXPECT_FALSE(is_outbred({0, 0, 0, 0, 1}));
  EXPECT_FALSE(is_outbred({kMissingAllele, 1, kMissingAllele, kMissingAllele, 1}));
}

// A read of each allele is evidence of a heterozygote.
TEST(WindowStudyTest, LikelihoodsThatTellNothingAreFlat) {
  EXPECT_TRUE((GenotypeLikelihoods{{0, 0, 0}}.IsFlat()));
  EXPECT_TRUE((GenotypeLikelihoods{{0, 255, 0}}.IsFlat()));  // haploid
  EXPECT_FALSE((GenotypeLikelihoods{{17, 0, 17}}.IsFlat()));
  EXPECT_FALSE((GenotypeLikelihoods{{0, 3, 20}}.IsFlat()));
}

}  // namespace
}  // namespace haplospin
