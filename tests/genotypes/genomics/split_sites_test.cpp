#include "genotypes/genomics/sites/split_sites.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace haplospin {
namespace {

using testing::ElementsAre;

constexpr uint8_t kMissing = kMissingAllele;

StudyMarker Alt(const std::string& ref, const std::string& alt, std::vector<uint8_t> alleles,
                std::vector<uint8_t> unphased = {}) {
  return {{10, ".", ref, alt}, {.alleles = std::move(alleles), .unphased = std::move(unphased)}};
}

TEST(SplitSites, OnlyAltsOfOneSiteExcludeEachOther) {
  EXPECT_TRUE(ShareSite({10, ".", "A", "C"}, {10, ".", "A", "G"}));
  EXPECT_FALSE(ShareSite({10, ".", "A", "C"}, {10, "probe2", "A", "C"}));
  EXPECT_FALSE(ShareSite({10, ".", "A", "C"}, {10, ".", "T", "G"}));
  EXPECT_FALSE(ShareSite({10, ".", "A", "C"}, {11, ".", "A", "G"}));
  EXPECT_FALSE(ShareSite({10, ".", "A", "C"}, {10, ".", "A", "."}));
  EXPECT_FALSE(ShareSite({0, ".", "A", "C"}, {0, ".", "A", "G"}));
}

// 1|. and .|1 of a phased study, as bcftools norm writes 1|2, and 1|. beside .|.
TEST(SplitSites, AMissingAlleleBesideAnAltIsRef) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  std::vector<StudyMarker> markers{Alt("A", "C", {1, kMissing, 1, kMissing}),
                                   Alt("A", "G", {kMissing, 1, kMissing, kMissing}),
                                   Alt("T", "G", {kMissing, kMissing, kMissing, kMissing})};
  CompleteSplitSites(samples, markers);
  EXPECT_THAT(markers[0].genotypes.alleles, ElementsAre(1, 0, 1, kMissing));
  EXPECT_THAT(markers[1].genotypes.alleles, ElementsAre(0, 1, 0, kMissing));
  EXPECT_THAT(markers[2].genotypes.alleles, ElementsAre(kMissing, kMissing, kMissing, kMissing));
}

// 1/2 is two heterozygotes, whose ALTs are on different haplotypes.
TEST(SplitSites, AHeterozygoteOfTwoAltsIsAPhaseSet) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  std::vector<StudyMarker> markers{Alt("A", "C", {0, 1, 0, 1}, {1, 1}), Alt("A", "G", {0, 1, 0, 0}, {1, 0})};
  CompleteSplitSites(samples, markers);
  const GenotypeRow &first = markers[0].genotypes, &second = markers[1].genotypes;
  EXPECT_THAT(first.alleles, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(second.alleles, ElementsAre(1, 0, 0, 0));
  EXPECT_FALSE(first.IsUnphased(0));
  EXPECT_FALSE(second.IsUnphased(0));
  EXPECT_NE(first.PhaseSet(0), 0u);
  EXPECT_EQ(first.PhaseSet(0), second.PhaseSet(0));
  EXPECT_TRUE(first.IsUnphased(1));
  EXPECT_EQ(first.PhaseSet(1), 0u);
}

// 1/. and ./1 of an unphased study, which has another heterozygote to tell that it is.
TEST(SplitSites, HalfGenotypesAreUnphasedAsTheOthersAre) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  for (const bool is_unphased : {false, true}) {
    std::vector<StudyMarker> markers{Alt("A", "C", {1, kMissing, 0, 0}),
                                     Alt("A", "G", {kMissing, 1, 0, 0}),
                                     {{20, ".", "A", "C"}, {.alleles = {0, 1, 0, 1}}}};
    if (is_unphased) markers[2].genotypes.unphased = {1, 1};
    CompleteSplitSites(samples, markers);
    EXPECT_THAT(markers[0].genotypes.alleles, ElementsAre(1, 0, 0, 0));
    EXPECT_THAT(markers[1].genotypes.alleles, ElementsAre(0, 1, 0, 0));
    EXPECT_EQ(markers[0].genotypes.PhaseSet(0) != 0, is_unphased);
    EXPECT_EQ(markers[0].genotypes.PhaseSet(0), markers[1].genotypes.PhaseSet(0));
  }
}

// Markers of a coarse map may look like ALTs of one site, until somebody has three of them.
TEST(SplitSites, MarkersThatAreFoundTogetherAreNotOfOneSite) {
  const SampleTable samples = SampleTable::Diploid({"x", "y"});
  std::vector<StudyMarker> markers{Alt("A", "C", {1, 1, 1, kMissing}), Alt("A", "G", {1, 1, kMissing, kMissing})};
  CompleteSplitSites(samples, markers);
  EXPECT_THAT(markers[0].genotypes.alleles, ElementsAre(1, 1, 1, kMissing));
  EXPECT_THAT(markers[1].genotypes.alleles, ElementsAre(1, 1, kMissing, kMissing));
}

// Genotypes of random haplotypes with at most one ALT each, some of them hidden: what is completed is true.
TEST(SplitSites, CompletedAllelesAreTrue) {
  std::mt19937 random(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    constexpr size_t kHaplotypes = 20;
    const SampleTable samples = SampleTable::Diploid({"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"});
    std::vector<StudyMarker> truth{Alt("A", "C", {}), Alt("T", "C", {}), Alt("A", "G", {}), Alt("A", "T", {})};
    for (size_t h = 0; h < kHaplotypes; ++h) {
      const size_t allele = random() % 4;  // 1 is of another site, which goes its own way
      for (size_t s = 0; s < truth.size(); ++s)
        truth[s].genotypes.alleles.push_back(s == 1 ? random() % 2 : s == allele ? 1 : 0);
    }
    std::vector<StudyMarker> markers = truth;
    for (StudyMarker& marker : markers) {
      for (uint8_t& allele : marker.genotypes.alleles) {
        if (random() % 3 == 0) allele = kMissing;
      }
    }
    const std::vector<uint8_t> other = markers[1].genotypes.alleles;
    CompleteSplitSites(samples, markers);
    EXPECT_EQ(markers[1].genotypes.alleles, other);
    for (size_t s = 0; s < markers.size(); ++s) {
      for (size_t h = 0; h < kHaplotypes; ++h) {
        const uint8_t allele = markers[s].genotypes.alleles[h];
        if (allele != kMissing) {
          ASSERT_EQ(allele, truth[s].genotypes.alleles[h]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
