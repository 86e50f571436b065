#include "genomics/sites/allele_relation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "genomics/mutable_panel.h"

namespace haplospin {
namespace {

using testing::Each;
using testing::Field;

Marker Alleles(const std::string& ref, const std::string& alt) { return {.ref = ref, .alt = alt}; }

TEST(AlleleRelation, TellsSwapAndStrandApart) {
  const Marker panel = Alleles("A", "C");
  EXPECT_EQ(RelateAlleles(Alleles("A", "C"), panel), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("a", "c"), panel), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("C", "A"), panel), AlleleRelation::kSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("T", "G"), panel), AlleleRelation::kFlipped);
  EXPECT_EQ(RelateAlleles(Alleles("g", "t"), panel), AlleleRelation::kFlippedAndSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("A", "G"), panel), AlleleRelation::kOther);
  EXPECT_EQ(RelateAlleles(Alleles("A", "."), panel), AlleleRelation::kOther);
  EXPECT_EQ(RelateAlleles(Alleles("A", "<DEL>"), Alleles("C", "<DEL>")), AlleleRelation::kOther);
}

TEST(AlleleRelation, AmbiguousAllelesFitByTheirLetters) {
  EXPECT_EQ(RelateAlleles(Alleles("A", "T"), Alleles("A", "T")), AlleleRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("G", "C"), Alleles("C", "G")), AlleleRelation::kSwapped);
}

TEST(AlleleRelation, AmbiguousSitesAreSingleBases) {
  for (const auto& [ref, alt] : {std::pair("A", "T"), {"t", "A"}, {"C", "G"}, {"G", "c"}}) {
    EXPECT_TRUE(IsStrandAmbiguous(Alleles(ref, alt))) << ref << alt;
  }
  for (const auto& [ref, alt] : {std::pair("A", "C"), {"A", "."}, {"AT", "A"}, {"A", "N"}, {"AT", "TA"}}) {
    EXPECT_FALSE(IsStrandAmbiguous(Alleles(ref, alt))) << ref << alt;
  }
  EXPECT_TRUE(IsSnv(Alleles("A", "g")));
  EXPECT_FALSE(IsSnv(Alleles("A", ".")));
  EXPECT_FALSE(IsSnv(Alleles("A", "AT")));
}

TEST(AlleleRelation, ReverseComplementTwiceIsTheAllele) {
  EXPECT_EQ(ReverseComplement("AACG"), "CGTT");
  EXPECT_EQ(ReverseComplement(ReverseComplement("GATTACA")), "GATTACA");
  EXPECT_EQ(ReverseComplement("AN"), "");
}

Marker SiteAt(int64_t position, const std::string& ref, const std::string& alt) { return {position, ".", ref, alt}; }

HaplotypePanel PanelOfSites(const std::vector<Marker>& markers) {
  MutablePanel panel("20", {{"A"}, {0, 2}});
  const uint64_t bits = 1;
  for (const Marker& marker : markers) panel.Append(marker, &bits);
  return panel;
}

TEST(MarkerMatching, TakesThePanelMarkerWhoseAllelesFitBest) {
  const HaplotypePanel panel =
      PanelOfSites({SiteAt(10, "T", "G"), SiteAt(10, "C", "A"), SiteAt(10, "A", "C"), SiteAt(10, "A", "C")});
  const std::vector<Marker> study{SiteAt(10, "A", "C"), SiteAt(10, "G", "T"), SiteAt(10, "A", "T")};
  const std::vector<MarkerMatch> matches = MatchMarkers(study, &panel);
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].panel_marker, 2u);
  EXPECT_EQ(matches[0].relation, AlleleRelation::kSame);
  EXPECT_EQ(matches[1].panel_marker, 0u);
  EXPECT_EQ(matches[1].relation, AlleleRelation::kSwapped);
  EXPECT_EQ(matches[2].panel_marker, 0u);  // the first at the position, where none fits
  EXPECT_EQ(matches[2].relation, AlleleRelation::kOther);
}

TEST(MarkerMatching, DuplicatesAreThoseOfTheSamePosition) {
  const HaplotypePanel panel = PanelOfSites({SiteAt(20, "A", "C")});
  const std::vector<Marker> study{SiteAt(10, "A", "C"), SiteAt(10, "a", "c"), SiteAt(20, "A", "C"),
                                  SiteAt(20, "A", "C")};
  const std::vector<MarkerMatch> matches = MatchMarkers(study, &panel);
  EXPECT_FALSE(matches[0].is_duplicate);
  EXPECT_TRUE(matches[1].is_duplicate);
  EXPECT_FALSE(matches[1].HasPosition());
  EXPECT_FALSE(matches[2].is_duplicate);
  EXPECT_TRUE(matches[3].is_duplicate);
  EXPECT_TRUE(matches[3].HasPosition());
}

TEST(MarkerMatching, PassesOverPanelMarkersBeforeTheFirst) {
  const HaplotypePanel panel = PanelOfSites({SiteAt(10, "A", "C"), SiteAt(10, "A", "C"), SiteAt(30, "A", "C")});
  const std::vector<Marker> study{SiteAt(5, "A", "C"), SiteAt(10, "A", "C"), SiteAt(20, "A", "C"),
                                  SiteAt(30, "A", "C")};
  const std::vector<MarkerMatch> matches = MatchMarkers(study, &panel, 1);
  EXPECT_FALSE(matches[0].HasPosition());
  EXPECT_EQ(matches[1].panel_marker, 1u);
  EXPECT_FALSE(matches[2].HasPosition());
  EXPECT_EQ(matches[3].panel_marker, 2u);
}

TEST(MarkerMatching, NothingMatchesWithoutAPanel) {
  const std::vector<Marker> study{SiteAt(5, "A", "C"), SiteAt(10, "A", "C")};
  EXPECT_THAT(MatchMarkers(study, nullptr), Each(Field(&MarkerMatch::panel_marker, MarkerMatch::kNone)));
}

}  // namespace
}  // namespace haplospin
