#include "genotypes/variant_io/alignments/reads_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ReadCounts Bases(size_t bases, uint8_t least, uint8_t greatest) {
  ReadCounts counts;
  counts.bases = counts.snv_reads = bases;
  counts.least_quality = least;
  counts.greatest_quality = greatest;
  return counts;
}

std::vector<ReadsFinding> Findings(const std::vector<ReadCounts>& counts) {
  const std::vector<std::string> names{"A", "B"};
  return FindReadsProblems(std::span(names).first(counts.size()), counts, {});
}

TEST(ReadsFindings, UsualReadsHaveNone) {
  EXPECT_TRUE(Findings({Bases(1000, 2, 37), Bases(1000, 30, 30)}).empty());
  EXPECT_TRUE(Findings({Bases(1000, 20, 60)}).empty());  // of long reads
  EXPECT_TRUE(Findings({Bases(0, 60, 0)}).empty());
}

TEST(ReadsFindings, BasesBelowTheLeastQuality) {
  ReadCounts poor = Bases(1000, 8, 12);
  poor.poor_bases = 900;
  const auto findings = Findings({Bases(1000, 2, 37), poor});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0].what, StartsWith("1 sample (B) with 90 % of the bases at the sites below --min-baseq 10"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("such as 8"));
  poor.poor_bases = 400;
  EXPECT_TRUE(Findings({poor}).empty());
}

TEST(ReadsFindings, OtherBasesThatAModelCountsWith) {
  ReadCounts other = Bases(1000, 2, 37);
  other.neither = 100;
  const std::vector<std::string> names{"A"};
  const std::vector<ReadCounts> counts{other};
  EXPECT_THAT(FindReadsProblems(names, counts, {}).at(0).what,
              HasSubstr("far more bases that are neither REF nor ALT"));
  EXPECT_EQ(FindReadsProblems(names, counts, {}, std::vector<ErrorModel>(1)).size(), 1);
  SubstitutionCounts substitutions;
  for (int i = 0; i < 20000; ++i)
    substitutions.Add({.code = i % 50 == 0 ? BaseCode('C') : BaseCode('A'), .quality = 40}, BaseCode('A'),
                      BaseCode('T'));
  const ErrorModel model(substitutions);
  ASSERT_GT(model.ExtraError(), 0);
  EXPECT_TRUE(FindReadsProblems(names, counts, {}, std::vector<ErrorModel>{model}).empty());
}

TEST(ReadsFindings, ReadsOfNobody) {
  EXPECT_FALSE(FindNobodysReads(0));
  EXPECT_THAT(FindNobodysReads(7)->what, StartsWith("7 reads of files of several people with no read group"));
}

TEST(ReadsFindings, ReadsThatAreLeftOut) {
  ReadCounts counts = Bases(10, 2, 37);
  counts.passing = 10;
  counts.left_out = {12, 40, 1};
  auto findings = Findings({counts, Bases(10, 2, 37)});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_EQ(
      findings[0].what,
      "1 sample (A) with 84 % of the reads at the sites left out (12 below --min-mapq 10, 40 duplicates, 1 failed)");
  EXPECT_THAT(findings[0].remedy, HasSubstr("--keep-duplicates"));
  counts.left_out = {12, 0, 0};
  EXPECT_THAT(Findings({counts})[0].remedy, HasSubstr("--min-mapq 0"));
  counts.left_out = {9, 0, 0};
  EXPECT_TRUE(Findings({counts}).empty());
}

TEST(ReadsFindings, QualitiesThatAreNone) {
  ReadCounts none = Bases(1000, 60, 0);
  none.unrated_bases = 1000;
  const auto findings = Findings({none, Bases(1000, 12, 12)});
  ASSERT_EQ(findings.size(), 2);
  EXPECT_THAT(findings[0].what, HasSubstr("(B) all of whose bases have the quality 12"));
  EXPECT_THAT(findings[1].what, HasSubstr("(A) without qualities of bases"));
  EXPECT_THAT(findings[1].remedy, HasSubstr("taken as 20"));
}

TEST(ReadsFindings, QualitiesOfAnotherScale) {
  const auto findings = Findings({Bases(1000, 33, 60)});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0].remedy, HasSubstr("Phred+64"));
}

TEST(ReadsFindings, OtherBases) {
  ReadCounts other = Bases(1000, 2, 37);
  other.neither = 40;
  other.expected_neither = 1;
  const auto findings = Findings({other});
  ASSERT_EQ(findings.size(), 1);
  EXPECT_THAT(findings[0].what, HasSubstr("neither REF nor ALT (4.00 %) than their qualities tell (0.10 %)"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("bisulfite"));
}

}  // namespace
}  // namespace haplospin
