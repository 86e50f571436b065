#include "genotypes/imputation/files/site_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

WantedSite Weight(int64_t position, double weight) {
  return {.contig = "1", .span = {position, position}, .allele = "G", .other = "A", .weight = weight};
}

FoundSite Record(int64_t position, const std::string& ref, float frequency, std::optional<double> r2) {
  return {.contig = "chr1",
          .marker = {position, "rs" + std::to_string(position), ref, "G"},
          .is_imputed = position != 10,
          .panel_frequency = frequency,
          .r2 = r2};
}

// Variances 2 p (1 - p) w^2: 0.5 typed, 0.5 with an r2 of 0.8, 0.125 with 0.4, 0.5 with none.
TEST(SiteReportTest, CoverageOfAScoreIsByVariance) {
  WantedSites sites("score", {Weight(10, 1), Weight(20, -1), Weight(30, 0.5), Weight(40, 1), Weight(50, 2.5)});
  sites.NoteFound(0, Record(10, "A", 0.5f, std::nullopt));
  sites.NoteFound(1, Record(20, "A", 0.5f, 0.8));
  sites.NoteFound(2, Record(30, "C", 0.5f, 0.4));
  sites.NoteFound(3, Record(40, "A", 0.5f, std::nullopt));
  const ScoreCoverage coverage = MeasureCoverage(sites);
  EXPECT_EQ(coverage.weights, 5);
  EXPECT_EQ(coverage.matched, 4);
  EXPECT_DOUBLE_EQ(coverage.matched_share, 3.5 / 6);
  EXPECT_EQ(coverage.imputed, 3);
  EXPECT_DOUBLE_EQ(coverage.imputed_share, 1.125 / 1.625);
  EXPECT_EQ(coverage.with_r2, 2);
  EXPECT_DOUBLE_EQ(coverage.r2, (0.5 * 0.8 + 0.125 * 0.4) / 0.625);
  EXPECT_EQ(coverage.ambiguous, 1);
}

// A sum over the records of a position would count REF once for each.
TEST(SiteReportTest, AWeightOfRefHasOneRecord) {
  WantedSite weight = Weight(20, 1);
  weight.other.clear();
  WantedSites sites("score", {weight});
  for (const auto& [alt, frequency] : {std::pair("GAA", 0.5f), std::pair("C", 0.1f), std::pair("T", 0.8f)}) {
    FoundSite found = Record(20, "G", frequency, 0.9);
    found.marker.alt = alt;
    sites.NoteFound(0, found);
  }
  const std::string table = WantedSitesTsv(sites);
  EXPECT_EQ(std::ranges::count(table, '\n'), 2);
  EXPECT_THAT(table, HasSubstr("\tG\tT\timputed\t"));
  EXPECT_DOUBLE_EQ(MeasureCoverage(sites).r2, 0.9);
  testing::internal::CaptureStderr();
  TellOfWantedSites(sites);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("score: 1 weight without other_allele at a position with several records (first: chr1:20 G)"));
}

TEST(SiteReportTest, AnotherGenomeBuildIsWarnedOf) {
  const auto told = [](int64_t shift) {
    std::vector<WantedSite> weights;
    for (int64_t i = 0; i < 30; ++i) weights.push_back(Weight(100 + 10 * i + shift, 1));
    WantedSites sites("score", weights);
    for (int64_t i = 0; i <= 30; ++i) {
      for (const size_t site : sites.See("1", {100 + 10 * i, ".", "A", "G"})) {
        sites.NoteFound(site, Record(100 + 10 * i, "A", 0.5f, 0.9));
      }
    }
    testing::internal::CaptureStderr();
    TellOfWantedSites(sites);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(0), AllOf(HasSubstr("30 of 30 sites written"), Not(HasSubstr("another genome build"))));
  EXPECT_THAT(told(3),
              HasSubstr("0 of 30 sites written; absent: 30 not in the panel; it is probably of another genome build"));
}

TEST(SiteReportTest, SymbolicAllelesThatAreSeveralRecordsAreWarnedOf) {
  const auto told = [](const std::string& info) {
    WantedSites sites("list", {{.contig = "1", .span = {10, 10}, .allele = "<DEL>", .other = "A", .info = info}});
    for (const char* end : {"END=50", "END=90"}) {
      const Marker marker{10, ".", "A", "<DEL>", end};
      for (const size_t site : sites.See("1", marker)) sites.NoteFound(site, {.contig = "1", .marker = marker});
    }
    testing::internal::CaptureStderr();
    TellOfWantedSites(sites);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_THAT(told(""), HasSubstr("warning: list: 1 symbolic allele without END or SVLEN (first: 1:10 A><DEL>)"));
  EXPECT_THAT(told("END=90"), Not(HasSubstr("warning")));
}

TEST(SiteReportTest, TableHasARowForEachRecordAndEachAbsentSite) {
  WantedSites sites("list", {{.contig = "1", .span = {10, 30}}, Weight(40, -0.25)});
  sites.NoteFound(0, Record(10, "A", 0.5f, std::nullopt));
  sites.NoteFound(0, Record(20, "A", 0.25f, 0.8));
  const std::string table = WantedSitesTsv(sites);
  EXPECT_THAT(table, HasSubstr("1\t10-30\t.\t.\t.\t.\trs10\tchr1\t10\tA\tG\ttyped\t0.5\t.\t.\n"
                               "1\t10-30\t.\t.\t.\t.\trs20\tchr1\t20\tA\tG\timputed\t0.25\t0.8\t.\n"
                               "1\t40\t.\tG\tA\t-0.25\t.\t.\t.\t.\t.\tabsent\t.\t.\tits contig is not imputed\n"));
}

}  // namespace
}  // namespace haplospin
