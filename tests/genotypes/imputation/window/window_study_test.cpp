#include "genotypes/imputation/window/window_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::ElementsAre;

class WindowStudyTest : public testing::Test {
 protected:
  const SampleTable samples_{{"A", "B"}, {0, 2, 3}};  // B is haploid
  GenotypeRow phased_{.alleles = {0, 1, 0}};
  GenotypeRow unphased_{.alleles = {0, 1, 1}, .unphased = {1, 0}};
  GenotypeRow likely_{.alleles = {2, 2, 0}, .likelihoods = {{{0, 3, 20}}, {}}};
};

TEST_F(WindowStudyTest, SitesAreInTheOrderOfThePanel) {
  const WindowStudy study(samples_, {{7, &phased_}, {2, &unphased_}, {4, &likely_}});
  EXPECT_THAT(study.typed(), ElementsAre(2, 4, 7));
  EXPECT_EQ(&study.row(0), &unphased_);
  EXPECT_EQ(&study.alleles(2), &phased_.alleles);
}

using WindowStudyDeathTest = WindowStudyTest;

TEST_F(WindowStudyDeathTest, RefusesRowsThatAreNotOfItsSamples) {
  EXPECT_DEATH(WindowStudy(samples_, {{1, nullptr}}), "genotypes");
  EXPECT_DEATH(WindowStudy(samples_, {{1, &phased_}, {1, &likely_}}), "typed_");
  phased_.alleles.push_back(0);
  EXPECT_DEATH(WindowStudy(samples_, {{1, &phased_}}), "HasSize");
  unphased_.unphased.pop_back();
  EXPECT_DEATH(WindowStudy(samples_, {{1, &unphased_}}), "HasSize");
  likely_.likelihoods.pop_back();
  EXPECT_DEATH(WindowStudy(samples_, {{1, &likely_}}), "HasSize");
}

TEST_F(WindowStudyTest, MarkersThatTheStudyDoesNotHaveAreAllMissing) {
  const GenotypeRow missing = MissingRow(samples_);
  EXPECT_THAT(missing.alleles, ElementsAre(kMissingAllele, kMissingAllele, kMissingAllele));
  const WindowStudy typed(samples_, {{2, &phased_}, {4, &phased_}, {5, &likely_}, {9, &phased_}}, {4, 5});
  const WindowStudy study = typed.WithUntyped({1, 7}, missing);
  EXPECT_THAT(study.typed(), ElementsAre(1, 2, 3, 4, 5, 6, 9));
  for (const size_t j : {1, 3, 6}) EXPECT_EQ(&study.row(j), &phased_);
  for (const size_t j : {0, 2, 5}) EXPECT_EQ(&study.row(j), &missing);
  EXPECT_EQ(study.row(4).Likelihoods(0).phred[2], 20);
  EXPECT_TRUE(study.row(3).Likelihoods(0).IsFlat());
  EXPECT_EQ(study.phased().begin, 4u);
  EXPECT_EQ(study.phased().end, 5u);
}

TEST_F(WindowStudyTest, PartsAndOtherRowsLeaveTheStudyAsItIs) {
  const WindowStudy study(samples_, {{2, &phased_}, {4, &phased_}, {5, &likely_}});
  const std::vector<uint32_t> part{0, 2};
  EXPECT_THAT(study.At(part).typed(), ElementsAre(2, 5));
  EXPECT_EQ(&study.At(part).row(1), &likely_);
  const std::vector<std::pair<uint32_t, const GenotypeRow*>> other{{1, &unphased_}};
  EXPECT_EQ(&study.WithRows(other).row(1), &unphased_);
}

TEST(InbredStudyTest, InbredLinesAreNotOutbred) {
  const SampleTable samples{{"A", "B", "C"}, {0, 2, 4, 5}};  // C is haploid
  const auto is_outbred = [&](const std::vector<uint8_t>& alleles) {
    const GenotypeRow row{.alleles = alleles};
    return WindowStudy(samples, {{0, &row}}).IsOutbred();
  };
  EXPECT_TRUE(is_outbred({0, 1, 1, 0, 0}));
  EXPECT_TRUE(is_outbred({0, 1, 1, 1, 0}));
  EXPECT_FALSE(is_outbred({0, 0, 1, 1, 0}));
  EXPECT_FALSE(is_outbred({0, 0, 0, 0, 1}));
  EXPECT_FALSE(is_outbred({kMissingAllele, 1, kMissingAllele, kMissingAllele, 1}));
}

}  // namespace
}  // namespace haplospin
