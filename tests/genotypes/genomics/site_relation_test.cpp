#include "genotypes/genomics/sites/site_relation.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"

namespace haplospin {
namespace {

using testing::Each;
using testing::Field;

Marker Alleles(const std::string& ref, const std::string& alt) { return {.ref = ref, .alt = alt}; }

TEST(SiteRelation, TellsSwapAndStrandApart) {
  const Marker panel = Alleles("A", "C");
  EXPECT_EQ(RelateAlleles(Alleles("A", "C"), panel), SiteRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("a", "c"), panel), SiteRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("C", "A"), panel), SiteRelation::kSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("T", "G"), panel), SiteRelation::kFlipped);
  EXPECT_EQ(RelateAlleles(Alleles("g", "t"), panel), SiteRelation::kFlippedAndSwapped);
  EXPECT_EQ(RelateAlleles(Alleles("A", "G"), panel), SiteRelation::kOtherAlleles);
  EXPECT_EQ(RelateAlleles(Alleles("A", "."), panel), SiteRelation::kOtherAlleles);
  EXPECT_EQ(RelateAlleles(Alleles("A", "<DEL>"), Alleles("C", "<DEL>")), SiteRelation::kOtherAlleles);
}

TEST(SiteRelation, AmbiguousAllelesFitByTheirLetters) {
  EXPECT_EQ(RelateAlleles(Alleles("A", "T"), Alleles("A", "T")), SiteRelation::kSame);
  EXPECT_EQ(RelateAlleles(Alleles("G", "C"), Alleles("C", "G")), SiteRelation::kSwapped);
}

TEST(SiteRelation, AmbiguousSitesAreSingleBases) {
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

TEST(SiteRelation, ReverseComplementTwiceIsTheAllele) {
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

StudyGenotypes StudyOf(std::vector<Marker> markers, bool ref_is_unknown = false) {
  StudyGenotypes study{.contig = "20", .samples = {{"S"}, {0, 2}}, .ref_is_unknown = ref_is_unknown};
  for (Marker& marker : markers) study.markers.push_back({std::move(marker), {.alleles = {0, 1}}});
  return study;
}

TEST(MarkerMatching, TakesThePanelMarkerWhoseAllelesFitBest) {
  const HaplotypePanel panel =
      PanelOfSites({SiteAt(10, "T", "G"), SiteAt(10, "C", "A"), SiteAt(10, "A", "C"), SiteAt(10, "A", "C")});
  const std::vector<MarkerMatch> matches =
      MatchMarkers(StudyOf({SiteAt(10, "A", "C"), SiteAt(10, "G", "T"), SiteAt(10, "A", "T")}), &panel);
  ASSERT_EQ(matches.size(), 3u);
  EXPECT_EQ(matches[0].panel_marker, 2u);
  EXPECT_EQ(matches[0].relation, SiteRelation::kSame);
  EXPECT_EQ(matches[1].panel_marker, 0u);
  EXPECT_EQ(matches[1].relation, SiteRelation::kSwapped);
  EXPECT_EQ(matches[2].panel_marker, 0u);  // the first at the position, where none fits
  EXPECT_EQ(matches[2].relation, SiteRelation::kOtherAlleles);
}

// .bed and BGEN files have no END and SVLEN.
TEST(MarkerMatching, ASymbolicAltWithoutLengthIsTheOnlyOne) {
  const auto deletion = [](int64_t position, const char* info) {
    Marker marker = SiteAt(position, "A", "<DEL>");
    marker.info = info;
    return marker;
  };
  const HaplotypePanel panel = PanelOfSites({deletion(10, "END=50"), deletion(20, "END=50"), deletion(20, "END=90"),
                                             deletion(30, "END=50"), deletion(40, ".")});
  const std::vector<MarkerMatch> matches =
      MatchMarkers(StudyOf({deletion(10, "."), deletion(20, "."), deletion(30, "END=60"), deletion(40, "END=60"),
                            deletion(40, "END=80")}),
                   &panel);
  const auto relation = [&](size_t s) { return matches[s].relation; };
  EXPECT_EQ(relation(0), SiteRelation::kSame);
  EXPECT_EQ(relation(1), SiteRelation::kOtherAlleles);  // either of two
  EXPECT_EQ(relation(2), SiteRelation::kOtherAlleles);  // another length
  EXPECT_EQ(relation(3), SiteRelation::kOtherAlleles);  // either of two of the study
  EXPECT_EQ(relation(4), SiteRelation::kOtherAlleles);
}

TEST(MarkerMatching, DuplicatesAreThoseOfTheSamePosition) {
  const HaplotypePanel panel = PanelOfSites({SiteAt(20, "A", "C")});
  const std::vector<MarkerMatch> matches = MatchMarkers(
      StudyOf({SiteAt(10, "A", "C"), SiteAt(10, "a", "c"), SiteAt(20, "A", "C"), SiteAt(20, "A", "C")}), &panel);
  EXPECT_NE(matches[0].relation, SiteRelation::kDuplicate);
  EXPECT_EQ(matches[1].relation, SiteRelation::kDuplicate);
  EXPECT_FALSE(matches[1].HasPosition());
  EXPECT_NE(matches[2].relation, SiteRelation::kDuplicate);
  EXPECT_EQ(matches[3].relation, SiteRelation::kDuplicate);
  EXPECT_TRUE(matches[3].HasPosition());
}

TEST(MarkerMatching, PassesOverPanelMarkersBeforeTheFirst) {
  const HaplotypePanel panel = PanelOfSites({SiteAt(10, "A", "C"), SiteAt(10, "A", "C"), SiteAt(30, "A", "C")});
  const std::vector<MarkerMatch> matches = MatchMarkers(
      StudyOf({SiteAt(5, "A", "C"), SiteAt(10, "A", "C"), SiteAt(20, "A", "C"), SiteAt(30, "A", "C")}), &panel, 1);
  EXPECT_FALSE(matches[0].HasPosition());
  EXPECT_EQ(matches[1].panel_marker, 1u);
  EXPECT_FALSE(matches[2].HasPosition());
  EXPECT_EQ(matches[3].panel_marker, 2u);
}

TEST(MarkerMatching, NothingMatchesWithoutAPanel) {
  EXPECT_THAT(MatchMarkers(StudyOf({SiteAt(5, "A", "C"), SiteAt(10, "A", "C")}), nullptr),
              Each(Field(&MarkerMatch::panel_marker, MarkerMatch::kNone)));
}

// The relation of one study marker to one panel marker, in one piece.
MarkerMatch MatchOne(const Marker& study, const Marker& panel) {
  const HaplotypePanel sites = PanelOfSites({panel});
  return MatchMarkers(StudyOf({study}), &sites).front();
}

TEST(MarkerMatching, AnInsertionIsNotTheSwappedDeletion) {
  for (const auto& [ref, alt] : {std::pair("ATG", "A"), {"AC", "A"}, {"ATGT", "AT"}}) {
    EXPECT_EQ(MatchOne(SiteAt(9, ref, alt), SiteAt(9, alt, ref)).relation, SiteRelation::kOtherAlleles) << ref << alt;
    EXPECT_EQ(MatchOne(SiteAt(9, alt, ref), SiteAt(9, ref, alt)).relation, SiteRelation::kOtherAlleles) << ref << alt;
  }
  EXPECT_EQ(MatchOne(SiteAt(9, "AT", "A"), SiteAt(9, "AT", "T")).relation, SiteRelation::kOtherAlleles)
      << "other strand";
  EXPECT_EQ(MatchOne(SiteAt(9, "AC", "GT"), SiteAt(9, "GT", "AC")).relation, SiteRelation::kSwapped);
  EXPECT_EQ(MatchOne(SiteAt(9, "<DEL>", "A"), SiteAt(9, "A", "<DEL>")).relation, SiteRelation::kOtherAlleles);
}

TEST(MarkerMatching, PaddingMakesNoOtherVariant) {
  for (const Marker& panel :
       {SiteAt(100, "CA", "C"), SiteAt(100, "CAT", "CT"), SiteAt(98, "GGCA", "GGC"), SiteAt(99, "GCAT", "GCT")}) {
    for (const Marker& study : {SiteAt(100, "CA", "C"), SiteAt(100, "CAGG", "CGG"), SiteAt(97, "TGGCA", "TGGC")}) {
      const MarkerMatch match = MatchOne(study, panel);
      EXPECT_EQ(match.panel_marker, 0u) << study.ref << " " << panel.ref;
      EXPECT_EQ(match.relation, SiteRelation::kSame) << study.ref << " " << panel.ref;
    }
  }
  EXPECT_EQ(MatchOne(SiteAt(10, "CA", "CG"), SiteAt(11, "A", "G")).relation, SiteRelation::kSame);
  EXPECT_EQ(MatchOne(SiteAt(11, "G", "A"), SiteAt(10, "CA", "CG")).relation, SiteRelation::kSwapped);
  EXPECT_EQ(MatchOne(SiteAt(10, "CA", "CG"), SiteAt(11, "T", "C")).relation, SiteRelation::kOtherAlleles) << "strand";
}

Marker Symbolic(const std::string& alt, int64_t end, int64_t length, const std::string& id = ".") {
  return {.position = 50, .id = id, .ref = "A", .alt = alt, .info = fmt::format("END={};SVLEN={}", end, length)};
}

TEST(MarkerMatching, TheLengthTellsSymbolicAllelesApart) {
  for (const std::string alt : {"<DEL>", "<DUP>", "<INV>", "<CN0>", "<CNV>", "<DEL:ME:ALU>"}) {
    const HaplotypePanel panel = PanelOfSites({Symbolic(alt, 550, 0), Symbolic(alt, 9050, 0)});
    for (const Marker& study : {Symbolic(alt, 9050, 0), Symbolic(alt, 0, 9000), Symbolic(alt, 9050, -9000)}) {
      const MarkerMatch match = MatchMarkers(StudyOf({study}), &panel).front();
      EXPECT_EQ(match.relation, SiteRelation::kSame) << alt;
      EXPECT_EQ(match.panel_marker, 1u) << alt;
    }
    EXPECT_EQ(MatchMarkers(StudyOf({Symbolic(alt, 0, 0)}), &panel).front().relation, SiteRelation::kOtherAlleles)
        << alt;
  }
  // END of an insertion is its position.
  EXPECT_EQ(MatchOne(Symbolic("<INS:ME:ALU>", 50, 280), Symbolic("<INS:ME:ALU>", 50, 6000)).relation,
            SiteRelation::kOtherAlleles);
  EXPECT_EQ(MatchOne(Symbolic("<INS>", 50, 280), Symbolic("<INS>", 0, 280)).relation, SiteRelation::kSame);
  EXPECT_EQ(MatchOne(Symbolic("<DEL>", 0, 0, "del1"), Symbolic("<DEL>", 550, 0, "del1")).relation, SiteRelation::kSame);
}

TEST(MarkerMatching, NamesTellMarkersOfOneVariantApart) {
  const auto hla = [](const std::string& id) { return Marker{10, id, "A", "T"}; };
  const HaplotypePanel panel = PanelOfSites({hla("HLA_A*01:01"), hla("HLA_A*02:01"), hla("HLA_A*03:01")});
  const auto matches = MatchMarkers(StudyOf({hla("HLA_A*03:01"), hla("HLA_A*01:01"), hla("rs7"), hla("rs8")}), &panel);
  EXPECT_EQ(matches[0].panel_marker, 2u);
  EXPECT_EQ(matches[1].panel_marker, 0u);
  EXPECT_EQ(matches[2].relation, SiteRelation::kOtherAlleles);
  for (const MarkerMatch& match : matches) EXPECT_NE(match.relation, SiteRelation::kDuplicate);
}

// A study of 100 people with one genotype row per marker, of which REF and ALT may be exchanged.
StudyGenotypes StudyOfPlink(std::vector<Marker> markers) {
  StudyGenotypes study = StudyOf(std::move(markers), /*ref_is_unknown=*/true);
  study.samples = SampleTable::Diploid(std::vector<std::string>(100, "S"));
  for (StudyMarker& marker : study.markers) marker.genotypes.alleles.assign(200, 0);
  return study;
}

// A .bed does not tell whether {A, ATG} is an insertion or a deletion.
TEST(MarkerMatching, TheFrequencyOfAnIndelTellsWhereRefIsUnknown) {
  MutablePanel panel("20", SampleTable::Diploid(std::vector<std::string>(50, "P")));
  const auto add = [&](const std::string& ref, const std::string& alt, size_t carriers) {
    std::vector<uint64_t> bits(2);
    for (size_t h = 0; h < carriers; ++h) bits[h / 64] |= uint64_t{1} << h % 64;
    panel.Append(SiteAt(10, ref, alt), bits.data());
  };
  add("A", "ATG", 30);
  add("ATG", "A", 5);
  const auto match = [&](const std::string& ref, const std::string& alt, size_t carriers) {
    StudyGenotypes study = StudyOfPlink({SiteAt(10, ref, alt)});
    std::fill_n(study.markers[0].genotypes.alleles.begin(), carriers, uint8_t{1});
    return MatchMarkers(study, &panel).front();
  };
  EXPECT_EQ(match("ATG", "A", 12).panel_marker, 1u);  // a rare deletion
  EXPECT_EQ(match("ATG", "A", 12).relation, SiteRelation::kSame);
  EXPECT_EQ(match("A", "ATG", 60).panel_marker, 0u);   // the insertion
  EXPECT_EQ(match("ATG", "A", 140).panel_marker, 0u);  // and with ATG as PLINK's A2
  EXPECT_EQ(match("ATG", "A", 140).relation, SiteRelation::kSwapped);
  EXPECT_EQ(match("A", "ATG", 100).relation, SiteRelation::kUndecided) << "near a half";
}

// Where an allele is as frequent as the other, the SNVs tell that are linked with it.
TEST(MarkerMatching, TheLinkageOfAnIndelTellsWhereRefIsUnknown) {
  const std::vector<Marker> snvs{SiteAt(10, "A", "C"), SiteAt(20, "A", "G"), SiteAt(40, "C", "A"),
                                 SiteAt(50, "T", "G")};
  std::mt19937 random(7);
  std::vector<bool> carries(200);
  for (size_t h = 0; h < 200; ++h) carries[h] = random() % 2 == 0;
  MutablePanel panel("20", SampleTable::Diploid(std::vector<std::string>(50, "P")));
  const auto add = [&](const Marker& marker) {
    std::vector<uint64_t> bits(2);
    for (size_t h = 0; h < 100; ++h) bits[h / 64] |= uint64_t{carries[h]} << h % 64;
    panel.Append(marker, bits.data());
  };
  for (size_t i = 0; i < 2; ++i) add(snvs[i]);
  add(SiteAt(30, "A", "ATG"));
  for (size_t i = 2; i < 4; ++i) add(snvs[i]);
  const auto match = [&](const std::string& ref, const std::string& alt, bool is_linked, bool is_exchanged) {
    StudyGenotypes study = StudyOfPlink({snvs[0], snvs[1], SiteAt(30, ref, alt), snvs[2], snvs[3]});
    for (StudyMarker& marker : study.markers) marker.genotypes.alleles.assign(carries.begin(), carries.end());
    std::vector<uint8_t>& indel = study.markers[2].genotypes.alleles;
    for (size_t h = 0; h < 200; ++h) indel[h] = is_linked ? carries[h] != is_exchanged : h / 2 % 2;
    return MatchMarkers(study, &panel)[2].relation;
  };
  EXPECT_EQ(match("A", "ATG", true, false), SiteRelation::kSame);
  EXPECT_EQ(match("ATG", "A", true, true), SiteRelation::kSwapped);
  EXPECT_EQ(match("A", "ATG", true, true), SiteRelation::kUndecided) << "the deletion, which the panel lacks";
  EXPECT_EQ(match("A", "ATG", false, false), SiteRelation::kSame) << "the panel's only one, and neither contradicts";
  EXPECT_EQ(match("ATG", "A", false, false), SiteRelation::kSwapped) << "nor does it in the other order";
}

// Arrays code the longer allele as I and the shorter as D.
TEST(MarkerMatching, CodedIndelsAreThePanelsOnlyOne) {
  MutablePanel panel("20", SampleTable::Diploid(std::vector<std::string>(50, "P")));
  const auto add = [&](int64_t position, const std::string& ref, const std::string& alt, size_t carriers) {
    std::vector<uint64_t> bits(2);
    for (size_t h = 0; h < carriers; ++h) bits[h / 64] |= uint64_t{1} << h % 64;
    panel.Append(SiteAt(position, ref, alt), bits.data());
  };
  add(10, "A", "ATG", 20);
  add(20, "ATG", "A", 20);
  add(30, "A", "ATG", 20);
  add(30, "A", "AT", 20);
  add(40, "A", "C", 20);
  for (const bool ref_is_unknown : {false, true}) {
    const auto match = [&](int64_t position, const std::string& ref, const std::string& alt, size_t carriers) {
      StudyGenotypes study = StudyOfPlink({SiteAt(position, ref, alt)});
      study.ref_is_unknown = ref_is_unknown;
      std::fill_n(study.markers[0].genotypes.alleles.begin(), carriers, uint8_t{1});
      return MatchMarkers(study, &panel).front();
    };
    EXPECT_EQ(match(10, "D", "I", 40).relation, SiteRelation::kSame);
    EXPECT_EQ(match(10, "D", "I", 40).panel_marker, 0u);
    EXPECT_EQ(match(10, "I", "D", 160).relation, SiteRelation::kSwapped);
    EXPECT_EQ(match(20, "I", "D", 40).relation, SiteRelation::kSame);
    EXPECT_EQ(match(20, "D", "I", 160).relation, SiteRelation::kSwapped);
    EXPECT_EQ(match(10, "I", "D", 40).relation, SiteRelation::kUndecided) << "its allele is rare, the panel's is not";
    EXPECT_EQ(match(30, "D", "I", 40).relation, SiteRelation::kUndecided) << "one of two";
    EXPECT_EQ(match(30, "-", "T", 40).panel_marker, 3u) << "by its bases";
    EXPECT_EQ(match(10, "-", "TG", 40).relation, SiteRelation::kSame);
    EXPECT_EQ(match(20, "-", "tg", 160).relation, SiteRelation::kSwapped);
    EXPECT_EQ(match(10, "-", "GT", 40).relation, SiteRelation::kUndecided) << "other bases";
    EXPECT_EQ(match(40, "A", "-", 40).relation, SiteRelation::kUndecided);
    EXPECT_EQ(match(40, "D", "I", 40).relation, SiteRelation::kUndecided) << "the panel has no indel there";
    EXPECT_EQ(match(50, "D", "I", 40).relation, SiteRelation::kUndecided) << "nor anything else";
    EXPECT_EQ(match(10, "D", ".", 0).relation, SiteRelation::kUndecided) << "without the other allele";
  }
}

TEST(MarkerMatching, NoticesIndelsThatMayBeElsewhereInARepeat) {
  EXPECT_TRUE(MatchOne(SiteAt(110, "ACA", "A"), SiteAt(101, "TCA", "T")).may_be_shifted);
  EXPECT_TRUE(MatchOne(SiteAt(110, "GAC", "G"), SiteAt(101, "TCA", "T")).may_be_shifted) << "begins within the repeat";
  EXPECT_TRUE(MatchOne(SiteAt(110, "A", "ACA"), SiteAt(101, "C", "CAC")).may_be_shifted);
  EXPECT_FALSE(MatchOne(SiteAt(110, "A", "ACA"), SiteAt(101, "TCA", "T")).may_be_shifted) << "a deletion";
  EXPECT_FALSE(MatchOne(SiteAt(110, "AGG", "A"), SiteAt(101, "TCA", "T")).may_be_shifted) << "other bases";
  EXPECT_FALSE(MatchOne(SiteAt(101, "TCA", "T"), SiteAt(101, "TCA", "T")).may_be_shifted) << "the same";
  EXPECT_FALSE(MatchOne(SiteAt(1101, "TCA", "T"), SiteAt(101, "TCA", "T")).may_be_shifted) << "far away";
}

}  // namespace
}  // namespace haplospin
