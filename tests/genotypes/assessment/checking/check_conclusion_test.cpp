// The verdict on a study, on results of a check that are filled in by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "genotypes/assessment/checking/study_check.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr double kMinRatio = 0.1;

size_t& CountOf(StudyCheck& check, SiteRelation relation) { return check.counts[relation]; }

// 1,000 sites, all of which the panel has.
StudyCheck GoodStudy() {
  StudyCheck check;
  check.options.panel = "panel.bcf";
  check.contigs.push_back({.name = "chr20",
                           .panel_name = "20",
                           .sites = 1000,
                           .within_panel = 1000,
                           .span = {1'000'000, 9'000'000},
                           .panel_sites = 20'000,
                           .same_position = 1000,
                           .matching = {1'000'000, 9'000'000},
                           .panel = {1, 10'000'000}});
  check.samples.push_back({.name = "s", .alleles = 2000, .missing = 0});
  check.sites = CountOf(check, SiteRelation::kSame) = 1000;
  return check;
}

// Sites that the panel has are moved to another place.
void LosePositions(StudyCheck& check, size_t count) {
  check.contigs[0].same_position -= count;
  CountOf(check, SiteRelation::kSame) -= count;
  CountOf(check, SiteRelation::kNotInPanel) += count;
}

CheckVerdict Verdict(const StudyCheck& check, double min_ratio = kMinRatio) {
  return ConcludeCheck(check, min_ratio).verdict;
}

TEST(CheckConclusion, Ready) {
  StudyCheck check = GoodStudy();
  EXPECT_EQ(Verdict(check), CheckVerdict::kReady);
  EXPECT_EQ(ConcludeCheck(check, kMinRatio).text, "ready to impute");
  check.panel_fit = PanelFit{.is_of_another_population = true, .text = ""};
  EXPECT_EQ(Verdict(check), CheckVerdict::kReady);
  EXPECT_THAT(ConcludeCheck(check, kMinRatio).text, HasSubstr("another population"));
  --CountOf(check, SiteRelation::kSame);
  ++CountOf(check, SiteRelation::kSwapped);
  EXPECT_EQ(Verdict(check), CheckVerdict::kReadyWhenFixed);
}

TEST(CheckConclusion, WithoutPanel) {
  StudyCheck check = GoodStudy();
  check.options.panel.clear();
  EXPECT_EQ(Verdict(check), CheckVerdict::kNotCompared);
  check.samples[0].missing = check.samples[0].alleles;
  EXPECT_EQ(Verdict(check), CheckVerdict::kDoNotImpute);
}

// Gaps are imputed from other samples, and samples without gaps phased; one sample has no others.
TEST(CheckConclusion, NamesTheCommandThatNeedsNoPanel) {
  StudyCheck check = GoodStudy();
  check.options.panel.clear();
  check.samples.assign(3, {.name = "S", .alleles = 1000});
  const auto text = [&] { return ConcludeCheck(check, kMinRatio).text; };
  EXPECT_THAT(text(), Not(HasSubstr("haplospin")));
  check.is_unphased = true;
  EXPECT_THAT(text(), AllOf(HasSubstr("'haplospin phase' without --ref"), Not(HasSubstr("impute'"))));
  check.samples[1].missing = 900;
  EXPECT_THAT(text(), AllOf(HasSubstr("'haplospin impute' without --ref impute the 30.0 % of its alleles that are "
                                      "missing from its other samples"),
                            Not(HasSubstr("phase"))));
  check.samples = {check.samples[1]};
  EXPECT_THAT(text(), Not(HasSubstr("haplospin")));
}

TEST(CheckConclusion, AllMissing) {
  StudyCheck check = GoodStudy();
  check.samples[0].missing = check.samples[0].alleles;
  EXPECT_EQ(Verdict(check, 0), CheckVerdict::kDoNotImpute);
  EXPECT_THAT(ConcludeCheck(check, 0).text, HasSubstr("all its genotypes are missing"));
}

// Positions that agree by chance are two of a thousand in this panel.
TEST(CheckConclusion, OtherPositions) {
  StudyCheck check = GoodStudy();
  LosePositions(check, 900);
  EXPECT_FALSE(check.PositionsDisagree());
  EXPECT_EQ(Verdict(check), CheckVerdict::kReady);
  EXPECT_EQ(Verdict(check, 0.11), CheckVerdict::kDoNotImpute);
  LosePositions(check, 80);
  EXPECT_TRUE(check.PositionsDisagree());
  EXPECT_EQ(ConcludeCheck(check, 0.01).text,
            "do not impute this study: only 20 of the 1,000 sites within the panel match it (2.0 %), probably because "
            "of another genome build");
  EXPECT_EQ(Verdict(check, 0), CheckVerdict::kReady);
  LosePositions(check, 20);
  EXPECT_EQ(Verdict(check, 0), CheckVerdict::kDoNotImpute);
  check.contigs[0].within_panel = 0;
  EXPECT_THAT(ConcludeCheck(check, 0).text, HasSubstr("no site is within the panel"));
}

TEST(CheckConclusion, ShortSpan) {
  StudyCheck check = GoodStudy();
  check.contigs[0].matching = {1'000'001, 1'500'000};
  EXPECT_EQ(ConcludeCheck(check, kMinRatio).text,
            "do not impute this study: its sites in the panel span only 5 % of the panel's contig 20; impute --region "
            "chr20:1000001-1500000");
  EXPECT_EQ(Verdict(check, 0.05), CheckVerdict::kReady);
}

}  // namespace
}  // namespace haplospin
