#include "genotypes/genomics/sites/panel_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/site_relation.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Marker At(int64_t position, const std::string& ref, const std::string& alt) { return {position, ".", ref, alt}; }

HaplotypePanel Panel(const std::vector<Marker>& markers) {
  MutablePanel panel("20", {{"A"}, {0, 2}});
  const uint64_t bits = 1;
  for (const Marker& marker : markers) panel.Append(marker, &bits);
  return panel;
}

StudyGenotypes Study(std::vector<Marker> markers) {
  StudyGenotypes study{.contig = "20", .samples = {{"S"}, {0, 2}}};
  for (Marker& marker : markers) study.markers.push_back({std::move(marker), {.alleles = {0, 1}}});
  return study;
}

TEST(PanelAlignment, JoinsByPositionAndAlleles) {
  const HaplotypePanel panel = Panel(
      {At(10, "A", "C"), At(20, "A", "C"), At(20, "A", "G"), At(20, "AT", "A"), At(30, "G", "T"), At(40, "C", "T")});
  const PanelAlignment alignment = AlignToPanel(Study({At(5, "A", "C"), At(20, "AT", "A"), At(20, "A", "G"),
                                                       At(25, "A", "C"), At(40, "c", "t"), At(50, "A", "T")}),
                                                panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(kNotInPanel, 3, 2, kNotInPanel, 5, kNotInPanel));
  EXPECT_EQ(alignment.counts.study_markers, 6u);
  EXPECT_EQ(alignment.counts.panel_markers, 6u);
  EXPECT_EQ(alignment.counts.matched, 3u);
  EXPECT_EQ(alignment.counts.same_position, 3u);
  EXPECT_EQ(alignment.counts.NumSwapped() + alignment.counts.NumFlipped() + alignment.counts.duplicates, 0u);
  EXPECT_THAT(alignment.counts.examples, IsEmpty());
}

// Two probes for one marker, the second of which has other genotypes of `different` of the samples.
AlignmentCounts CountTwoProbes(size_t samples, size_t different) {
  std::vector<std::string> names;
  for (size_t s = 0; s < samples; ++s) names.push_back("S" + std::to_string(s));
  StudyGenotypes study{.contig = "20", .samples = SampleTable::Diploid(names)};
  GenotypeRow first{.alleles = std::vector<uint8_t>(2 * samples, 0)}, second = first;
  for (size_t s = 0; s < samples; ++s) first.alleles[2 * s] = 1;
  second.alleles = first.alleles;
  // The order of the alleles, and a missing genotype, contradict nothing.
  std::swap(second.alleles[0], second.alleles[1]);
  second.alleles[2] = kMissingAllele;
  for (size_t s = 2; s < 2 + different; ++s) second.alleles[2 * s] = 0;
  study.markers = {{At(10, "A", "C"), first}, {At(10, "A", "C"), second}, {At(20, "A", "C"), first}};
  return AlignToPanel(study, Panel({At(10, "A", "C"), At(20, "A", "C")})).counts;
}

TEST(PanelAlignment, ProbesThatContradictEachOtherAreNamed) {
  for (const size_t different : {0, 1, 5}) {
    const AlignmentCounts counts = CountTwoProbes(100, different);
    EXPECT_EQ(counts.duplicates, 1u);
    EXPECT_EQ(counts.contradicting.count, different == 5 ? 1u : 0u) << different << " of 99 samples";
  }
  EXPECT_EQ(CountTwoProbes(3, 1).contradicting.count, 0u) << "one genotype may be wrong anywhere";
  AlignmentCounts counts = CountTwoProbes(100, 50);
  EXPECT_THAT(
      AlignmentWarning(counts, {"study.vcf.gz", {}}),
      HasSubstr("1 study site repeats another one: the first with genotypes is used; 1 of these contradicts the "
                "one that is used in more than 5 % of the samples (first: 20:10 A>C)"));
  counts += CountTwoProbes(100, 50);
  EXPECT_EQ(counts.contradicting.count, 2u);
}

TEST(PanelAlignment, CountsSwappedAndFlippedMarkers) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "C"), At(4, "A", "T"),
                                      At(5, "A", "C"), At(6, "AT", "A"), At(7, "AT", "A")});
  const AlignmentCounts counts = AlignToPanel(Study({
                                                  At(1, "C", "A"),   // swapped
                                                  At(2, "T", "G"),   // the other strand
                                                  At(3, "G", "T"),   // the other strand and swapped
                                                  At(4, "T", "A"),   // either; counted as swapped
                                                  At(5, "A", "."),   // the panel's REF
                                                  At(6, "A", "AT"),  // an insertion, not the swapped deletion
                                                  At(7, "AT", "T"),  // no deletion of the other strand
                                              }),
                                              panel)
                                     .counts;
  EXPECT_EQ(counts.matched, 1u);
  EXPECT_EQ(counts.without_alt, 1u);
  EXPECT_EQ(counts.same_position, 7u);
  EXPECT_EQ(counts.NumSwapped(), 2u);
  EXPECT_EQ(counts.NumFlipped(), 2u);
  EXPECT_THAT(counts.examples,
              ElementsAre("20:1 C>A, panel has A>C", "20:2 T>G, panel has A>C", "20:3 G>T, panel has A>C"));
}

// A site with one allele in the study, as PLINK writes it.
TEST(PanelAlignment, JoinsMarkersWithoutAltWhereTheAlleleIsThePanels) {
  const HaplotypePanel panel =
      Panel({At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "C"), At(4, "A", "AT"), At(5, "AT", "A"), At(6, "A", "C"),
             At(6, "A", "G"), At(7, "A", "T"), At(9, "A", "C"), At(10, "A", "C")});
  StudyGenotypes study = Study({
      At(1, "a", "."),                                      // REF
      At(2, "C", "."),                                      // ALT
      At(3, "G", "."),                                      // on the other strand
      At(4, "A", "."),                                      // a base says nothing about an insertion
      At(5, "AT", "."),                                     // REF
      At(6, "G", "."),                                      // the second ALT
      At(7, "C", "."),                                      // neither
      At(8, "C", "."),                                      // not in the panel
      At(9, "A", "."),                                      // repeated by the next one, which says more
      At(9, "A", "C"), At(10, "A", "."), At(10, "C", "."),  // the same panel marker
  });
  const PanelAlignment alignment = AlignToPanel(study, panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(0, 1, kMisaligned, kNotInPanel, 4, 6, kNotInPanel, kNotInPanel,
                                                  kRepeatsEarlier, 8, 9, kRepeatsEarlier));
  EXPECT_THAT(alignment.exchanged, ElementsAre(1, 5));
  EXPECT_EQ(alignment.counts.matched, 6u);
  EXPECT_EQ(alignment.counts.without_alt, 5u);
  EXPECT_EQ(alignment.counts.NumFlipped(), 1u);
  EXPECT_EQ(alignment.counts.duplicates, 2u);
  study.markers[1].genotypes.alleles = {0, kMissingAllele};
  study.markers[0].genotypes.reads.resize(1);
  study.markers[1].genotypes.reads.resize(1);
  UsePanelAlleles(alignment, panel, study);
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(0, 1));
  EXPECT_THAT(study.markers[1].genotypes.alleles, ElementsAre(1, kMissingAllele));
  for (const size_t s : {0, 1}) {
    EXPECT_EQ(study.markers[s].marker.ref, panel.marker(s).ref);
    EXPECT_EQ(study.markers[s].marker.alt, panel.marker(s).alt);
  }
  EXPECT_EQ(study.markers[3].marker.alt, ".");
  EXPECT_EQ(study.markers[0].genotypes.reads[0].is_alt, 0);
  EXPECT_EQ(study.markers[1].genotypes.reads[0].is_alt, 1);
}

// A .bed of PLINK 1.9 has the major allele where VCF has REF.
TEST(PanelAlignment, JoinsExchangedAllelesWhereRefIsUnknown) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "T"), At(4, "AT", "A"),
                                      At(5, "A", "C"), At(6, "A", "C"), At(7, "A", "T")});
  StudyGenotypes study = Study({
      At(1, "C", "A"),                   // exchanged
      At(2, "T", "G"),                   // on the other strand
      At(3, "T", "A"),                   // exchanged, or on the other strand
      At(4, "A", "AT"),                  // the exchanged deletion, as the panel has no insertion
      At(5, "C", "A"), At(5, "A", "C"),  // the same panel marker
      At(6, "A", "C"), At(7, "A", "T"),  // as in the panel
      At(8, "D", "I"),                   // coded, and not in the panel
  });
  study.markers[0].genotypes.alleles = {0, kMissingAllele};
  study.ref_is_unknown = true;
  const PanelAlignment alignment = AlignToPanel(study, panel);
  EXPECT_THAT(alignment.panel_marker,
              ElementsAre(0, kMisaligned, kMisaligned, 3, 4, kRepeatsEarlier, 5, 6, kMisaligned));
  EXPECT_THAT(alignment.exchanged, ElementsAre(0, 3, 4));
  EXPECT_EQ(alignment.counts.matched, 5u);
  EXPECT_EQ(alignment.counts.exchanged, 3u);
  EXPECT_EQ(alignment.counts.NumSwapped(), 1u);
  EXPECT_EQ(alignment.counts.NumFlipped(), 1u);
  EXPECT_EQ(alignment.counts.undecided_indels, 0u);
  EXPECT_EQ(alignment.counts.coded_indels, 1u);
  EXPECT_EQ(alignment.counts.duplicates, 1u);
  UsePanelAlleles(alignment, panel, study);
  EXPECT_EQ(study.markers[0].marker.ref + study.markers[4].marker.ref, "AA") << "exchanged with the genotypes";
  EXPECT_EQ(study.markers[1].marker.ref + study.markers[2].marker.ref, "TT") << "not joined";
  EXPECT_THAT(study.markers[0].genotypes.alleles, ElementsAre(1, kMissingAllele));
  EXPECT_THAT(study.markers[3].genotypes.alleles, ElementsAre(1, 0));
  EXPECT_THAT(study.markers[6].genotypes.alleles, ElementsAre(0, 1));
}

TEST(PanelAlignment, MisalignedMarkersArePanelMarkers) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "C")});
  const PanelAlignment alignment = AlignToPanel(Study({At(1, "C", "A"), At(2, "T", "G"), At(3, "A", "G")}), panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(kMisaligned, kMisaligned, kNotInPanel));
}

TEST(PanelAlignment, PrefersTheSameAllelesToSwappedOnes) {
  const HaplotypePanel panel = Panel({At(1, "C", "A"), At(1, "T", "G"), At(1, "A", "C")});
  const PanelAlignment alignment = AlignToPanel(Study({At(1, "A", "C")}), panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(2));
  EXPECT_EQ(alignment.counts.NumSwapped() + alignment.counts.NumFlipped(), 0u);
}

TEST(PanelAlignment, UsesTheFirstOfRepeatedMarkers) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(1, "A", "C"), At(2, "A", "C")});
  const PanelAlignment alignment =
      AlignToPanel(Study({At(1, "A", "C"), At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "C"), At(3, "A", "C")}), panel);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(0, kRepeatsEarlier, 2, kNotInPanel, kRepeatsEarlier));
  EXPECT_EQ(alignment.counts.duplicates, 2u);
  EXPECT_EQ(alignment.counts.matched, 2u);
}

// An array may have two probes for a variant, of which the first one failed in everybody.
TEST(PanelAlignment, UsesTheRepeatedMarkerThatHasGenotypes) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "C")});
  StudyGenotypes study = Study({At(1, "A", "C"), At(1, "A", "C"), At(1, "A", "C"), At(2, "A", "C"), At(2, "A", "C")});
  for (const size_t failed : {0, 3, 4}) study.markers[failed].genotypes.alleles = {kMissingAllele, kMissingAllele};
  EXPECT_THAT(AlignToPanel(study, panel).panel_marker,
              ElementsAre(kRepeatsEarlier, 0, kRepeatsEarlier, 1, kRepeatsEarlier));
}

TEST(PanelAlignment, LeavesOutWhatWasJoinedBefore) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "C"), At(3, "A", "C")});
  const std::vector<uint32_t> earlier{1};
  const PanelAlignment alignment = AlignToPanel(Study({At(2, "A", "C"), At(3, "A", "C")}), panel, earlier, 2);
  EXPECT_THAT(alignment.panel_marker, ElementsAre(kRepeatsEarlier, 2));
  EXPECT_EQ(alignment.counts.study_markers, 2u);
  EXPECT_EQ(alignment.counts.panel_markers, 1u);
  EXPECT_EQ(alignment.counts.matched, 1u);
}

TEST(PanelAlignment, AgreesWithALookUpOnRandomMarkers) {
  std::mt19937 random(5);
  const auto random_markers = [&](size_t count) {
    std::vector<Marker> markers;
    for (size_t i = 0; i < count; ++i) {
      const char bases[] = "ACGT";
      markers.push_back(At(1 + static_cast<int64_t>(random() % 100), std::string(1, bases[random() % 4]),
                           std::string(1, bases[random() % 4])));
    }
    std::ranges::stable_sort(markers, {}, &Marker::position);
    return markers;
  };
  for (int repeat = 0; repeat < 50; ++repeat) {
    const auto study_markers = random_markers(random() % 200), panel_markers = random_markers(random() % 200);
    using Key = std::tuple<int64_t, std::string, std::string>;
    const auto key = [](const Marker& m) { return Key{m.position, m.ref, m.alt}; };
    std::map<Key, uint32_t> first;
    std::set<int64_t> positions;
    for (uint32_t p = 0; p < panel_markers.size(); ++p) {
      first.emplace(key(panel_markers[p]), p);
      positions.insert(panel_markers[p].position);
    }
    const PanelAlignment alignment = AlignToPanel(Study(study_markers), Panel(panel_markers));
    ASSERT_EQ(alignment.panel_marker.size(), study_markers.size());
    std::set<Key> seen;
    size_t matched = 0, same_position = 0, duplicates = 0;
    for (size_t s = 0; s < study_markers.size(); ++s) {
      const bool is_first = seen.insert(key(study_markers[s])).second;
      const auto found = first.find(key(study_markers[s]));
      const bool is_misaligned = std::ranges::any_of(panel_markers, [&](const Marker& marker) {
        return marker.position == study_markers[s].position &&
               RelateAlleles(study_markers[s], marker) != SiteRelation::kOtherAlleles;
      });
      const uint32_t in_panel = found != first.end() ? found->second : is_misaligned ? kMisaligned : kNotInPanel;
      const uint32_t expected = is_first ? in_panel : kRepeatsEarlier;
      ASSERT_EQ(alignment.panel_marker[s], expected);
      matched += IsTyped(expected);
      same_position += positions.count(study_markers[s].position);
      duplicates += !is_first;
    }
    ASSERT_EQ(alignment.counts.matched, matched);
    ASSERT_EQ(alignment.counts.same_position, same_position);
    ASSERT_EQ(alignment.counts.duplicates, duplicates);
  }
}

TEST(AlignmentCounts, AddsUpWindows) {
  AlignmentCounts sum{1, 2, 3, 8, 9, 11, 4, {}, 7, {}, 3, "", 6, "", 0, "", {}, {2, "m"}, {"a", "b"}};
  sum.misaligned[SiteRelation::kSwapped] = 5;
  sum.misaligned[SiteRelation::kFlipped] = 2;
  sum.misaligned[SiteRelation::kFlippedAndSwapped] = 4;
  AlignmentCounts other{10, 20,  30, 80,  90, 100, 40,       {},       70,        {5, "p"},
                        30, "y", 60, "z", 2,  "x", {3, "n"}, {4, "o"}, {"c", "d"}};
  other.misaligned[SiteRelation::kSwapped] = 50;
  other.misaligned[SiteRelation::kFlipped] = 60;
  sum += other;
  EXPECT_EQ(sum.undecided_indels, 33u);
  EXPECT_EQ(sum.first_undecided, "y");
  EXPECT_EQ(sum.coded_indels, 66u);
  EXPECT_EQ(sum.first_coded, "z");
  EXPECT_EQ(sum.perhaps_shifted, 2u);
  EXPECT_EQ(sum.first_shifted, "x");
  EXPECT_EQ(sum.several_snvs.count, 3u);
  EXPECT_EQ(sum.several_snvs.first, "n");
  EXPECT_EQ(sum.without_ref.count, 6u);
  EXPECT_EQ(sum.without_ref.first, "m");
  EXPECT_EQ(sum.panel_markers, 11u);
  EXPECT_EQ(sum.study_markers, 22u);
  EXPECT_EQ(sum.matched, 33u);
  EXPECT_EQ(sum.without_alt, 88u);
  EXPECT_EQ(sum.exchanged, 99u);
  EXPECT_EQ(sum.in_order, 111u);
  EXPECT_EQ(sum.same_position, 44u);
  EXPECT_EQ(sum.NumSwapped(), 55u);
  EXPECT_EQ(sum.NumFlipped(), 66u);
  EXPECT_EQ(sum.duplicates, 77u);
  EXPECT_EQ(sum.contradicting.count, 5u);
  EXPECT_EQ(sum.contradicting.first, "p");
  EXPECT_THAT(sum.examples, ElementsAre("a", "b", "c"));
}

TEST(PanelAlignment, CountsSitesOfSeveralSnvsAndWithoutRef) {
  const HaplotypePanel panel = Panel(
      {At(10, "A", "C"), At(11, "C", "T"), At(20, "AC", "GT"), At(30, "A", "C"), At(40, "A", "C"), At(50, "A", "AT")});
  const AlignmentCounts counts =
      AlignToPanel(Study({
                       At(10, "AC", "CT"),                                    // two SNVs of the panel
                       At(20, "AC", "GT"),                                    // the panel's
                       At(30, "N", "C"), At(40, ".", "C"), At(45, "N", "C"),  // the panel has nothing there
                       At(50, "AC", "GT"),                                    // the panel has an indel
                   }),
                   panel)
          .counts;
  EXPECT_EQ(counts.several_snvs.count, 1u);
  EXPECT_EQ(counts.several_snvs.first, "20:10 AC>CT");
  EXPECT_EQ(counts.without_ref.count, 2u);
  EXPECT_EQ(counts.without_ref.first, "20:30 N>C");
  EXPECT_THAT(
      AlignmentWarning(counts, {"study.vcf.gz", {}}),
      AllOf(HasSubstr("1 study site is of several bases where the panel has SNVs"),
            HasSubstr("bcftools norm --atomize"), HasSubstr("2 study sites at panel positions have N or . as REF"),
            HasSubstr("bcftools norm -c s -f REF.fa")));
  AlignmentCounts sum = counts;
  sum += counts;
  EXPECT_EQ(sum.several_snvs.count, 2u);
  EXPECT_EQ(sum.without_ref.first, "20:30 N>C");
}

TEST(AlignmentCounts, ThatAllAllelesAreExchanged) {
  const auto are_all = [](size_t exchanged, size_t in_order) {
    return AlignmentCounts{.exchanged = exchanged, .in_order = in_order}.AreAllExchanged();
  };
  EXPECT_TRUE(are_all(20, 0));
  EXPECT_TRUE(are_all(990, 10)) << "a few sites may be wrong";
  EXPECT_FALSE(are_all(19, 0)) << "alleles may be linked";
  EXPECT_FALSE(are_all(20, 1));
  EXPECT_FALSE(are_all(0, 0));
}

// A/T and C/G do not tell.
TEST(AlignmentCounts, AllelesInOrderTellRefFromAlt) {
  const HaplotypePanel panel = Panel({At(1, "A", "C"), At(2, "A", "T"), At(3, "A", "G")});
  const AlignmentCounts counts = AlignToPanel(Study({At(1, "A", "C"), At(2, "A", "T"), At(3, "A", ".")}), panel).counts;
  EXPECT_EQ(counts.matched, 3u);
  EXPECT_EQ(counts.in_order, 1u);
}

class NoSharedSiteTest : public testing::Test {
 protected:
  std::string Message() const { return NoSharedSiteMessage(counts_, study_, panel_); }

  AlignmentCounts counts_{.panel_markers = 24799, .study_markers = 879};
  AlignedFile study_{"study.vcf.gz", {"chr20"}};
  AlignedFile panel_{"panel.bcf", {"20"}};
};

TEST_F(NoSharedSiteTest, CountsBothSides) {
  EXPECT_THAT(Message(),
              AllOf(HasSubstr("no typed site is shared: study.vcf.gz has 879 sites (contigs chr20), panel.bcf "
                              "has 24799 (contigs 20), and 0 study sites are at a panel position")));
  EXPECT_THAT(Message(), Not(HasSubstr("\n")));
}

TEST_F(NoSharedSiteTest, GuessesTheReason) {
  EXPECT_THAT(Message(), HasSubstr("genome build"));
  counts_.same_position = 20;  // by chance
  EXPECT_THAT(Message(), HasSubstr("genome build"));
  counts_.same_position = 870;
  EXPECT_THAT(Message(), HasSubstr("alleles differ"));
  counts_.misaligned[SiteRelation::kSwapped] = 800;
  counts_.examples = {"20:1 C>A, panel has A>C"};
  EXPECT_THAT(Message(), AllOf(HasSubstr("REF and ALT are swapped"), HasSubstr("20:1 C>A, panel has A>C")));
  EXPECT_THAT(Message(), Not(HasSubstr("ref-first")));
  counts_.misaligned[SiteRelation::kSwapped] = 870;
  EXPECT_THAT(Message(), AllOf(HasSubstr("at all of them"), HasSubstr("ref-first"), HasSubstr("check --fix")));
  counts_.misaligned[SiteRelation::kFlipped] = 871;
  EXPECT_THAT(Message(), AllOf(HasSubstr("other strand"), HasSubstr("20:1 C>A, panel has A>C")));
  study_.contigs = {"21", "22"};
  EXPECT_THAT(Message(), HasSubstr("no contig is in both"));
}

// `check --fix` has nothing to correct in a list of sites.
TEST_F(NoSharedSiteTest, SitesOfReadsHaveARemedyOfTheirOwn) {
  study_ = {"sites.vcf.gz", {"20"}, true};
  counts_.same_position = 870;
  for (const size_t swapped : {800, 870}) {
    counts_.misaligned[SiteRelation::kSwapped] = swapped;
    for (const std::string& message : {Message(), AlignmentWarning(counts_, study_)}) {
      EXPECT_THAT(message, AllOf(HasSubstr("leave out --sites, or correct REF and ALT of its file (bcftools norm -c s"),
                                 Not(HasSubstr("--fix"))));
    }
  }
}

TEST_F(NoSharedSiteTest, NoticesAnEmptySide) {
  counts_.panel_markers = 0;
  EXPECT_THAT(Message(), HasSubstr("the panel has no site in the region"));
  counts_.study_markers = 0;
  EXPECT_THAT(Message(), HasSubstr("the study has no site in the region"));
}

TEST(AlignmentWarning, WarnsOfManyMisfits) {
  const AlignedFile study{"study.vcf.gz", {"20"}};
  AlignmentCounts counts{.panel_markers = 5000, .study_markers = 1000, .matched = 990, .same_position = 1000};
  EXPECT_EQ(AlignmentWarning(counts, study), "");
  counts.misaligned[SiteRelation::kSwapped] = 4;
  counts.misaligned[SiteRelation::kFlipped] = 5;
  EXPECT_EQ(AlignmentWarning(counts, study), "") << "a few are in any file";
  counts.misaligned[SiteRelation::kFlipped] = 6;
  counts.examples = {"20:1 C>A, panel has A>C", "20:2 T>G, panel has A>C"};
  EXPECT_THAT(
      AlignmentWarning(counts, study),
      AllOf(testing::StartsWith("study.vcf.gz: 4 of the 1000 study sites at panel positions have REF and ALT swapped "
                                "and 6 are on the other strand (20:1 C>A, panel has A>C; 20:2 T>G"),
            Not(HasSubstr("repeat")), Not(HasSubstr("\n"))));
  counts.duplicates = 3;
  EXPECT_THAT(AlignmentWarning(counts, study), HasSubstr("; 3 study sites repeat another one"));
  EXPECT_THAT(AlignmentWarning({.study_markers = 10, .duplicates = 1}, study),
              testing::StrEq("study.vcf.gz: 1 study site repeats another one: the first with genotypes is used"));
  EXPECT_THAT(AlignmentWarning({.study_markers = 10, .perhaps_shifted = 2, .first_shifted = "20:5 AT>A"}, study),
              AllOf(HasSubstr("2 indels are not in the panel"), HasSubstr("20:5 AT>A"), HasSubstr("bcftools norm -f")));
}

}  // namespace
}  // namespace haplospin
