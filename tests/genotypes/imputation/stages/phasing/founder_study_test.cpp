#include "genotypes/imputation/stages/phasing/founder_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

// Two samples at four markers; the first is heterozygous at all but the third, where it has no genotype.
class FounderStudyTest : public testing::Test {
 protected:
  FounderStudyTest() {
    for (uint32_t j = 0; j < rows_.size(); ++j) sites_.push_back({10 * j, &rows_[j]});
  }

  const SampleTable samples_ = SampleTable::Diploid({"a", "b"});
  const std::vector<GenotypeRow> rows_{{.alleles = {0, 1, 1, 0}, .unphased = {1, 0}},
                                       {.alleles = {0, 1, 1, 1}, .unphased = {1, 0}},
                                       {.alleles = {2, 2, 0, 0}},
                                       {.alleles = {0, 1, 2, 2}, .unphased = {1, 0}}};
  std::vector<WindowStudy::Site> sites_;
};

TEST_F(FounderStudyTest, ToldAlleles) {
  const WindowStudy study(samples_, sites_);
  const InferredHaplotypes inferred{
      .alleles = {std::vector<uint8_t>{1, kMissingAllele, 1, 1}, std::vector<uint8_t>{0, kMissingAllele, 0, 1}},
      .set = {1, 0, 2, 0}};
  const std::vector<Founder> founders{{std::nullopt, inferred}, {1, std::nullopt}, {0, inferred}};
  const FounderStudy founder_study(study, founders);
  const WindowStudy& view = founder_study.study();
  EXPECT_THAT(view.typed(), ElementsAre(0, 10, 20, 30));
  EXPECT_THAT(view.samples().first_haplotype, ElementsAre(0, 1, 2, 4, 6));
  EXPECT_EQ(founder_study.first_sample(2), 3u);
  EXPECT_THAT(view.alleles(0), ElementsAre(1, 0, 1, 0, 1, 0));
  EXPECT_THAT(view.alleles(1), ElementsAre(2, 2, 1, 1, 0, 1));  // the order is not inferred
  EXPECT_THAT(view.alleles(2), ElementsAre(1, 0, 0, 0, 1, 0));  // a missing genotype is
  EXPECT_THAT(view.alleles(3), ElementsAre(1, 1, 2, 2, 0, 1));  // what the sample has is kept
  std::vector<bool> unphased;
  for (size_t j = 0; j < 4; ++j) unphased.push_back(view.row(j).IsUnphased(3));
  EXPECT_THAT(unphased, ElementsAre(false, true, false, true));
  EXPECT_FALSE(view.row(1).IsUnphased(2));
  EXPECT_EQ(view.row(0).PhaseSet(3), 1u);
  EXPECT_EQ(view.row(2).PhaseSet(3), 2u);
  EXPECT_EQ(view.row(2).PhaseSet(0), 0u);
}

TEST_F(FounderStudyTest, OneHaplotype) {
  const WindowStudy study(samples_, sites_);
  const InferredHaplotypes inferred{.alleles = {std::vector<uint8_t>{1, 1, 0, 0}, std::vector<uint8_t>{1, 1, 0, 0}},
                                    .set = std::vector<uint32_t>(4)};
  const std::vector<Founder> founders{{.sample = std::nullopt, .inferred = inferred, .haplotypes = 1},
                                      {1, std::nullopt}};
  const FounderStudy founder_study(study, founders);
  EXPECT_THAT(founder_study.study().samples().first_haplotype, ElementsAre(0, 1, 3));
  EXPECT_EQ(founder_study.first_sample(1), 1u);
  EXPECT_THAT(founder_study.study().alleles(0), ElementsAre(1, 1, 0));
}

}  // namespace
}  // namespace haplospin
