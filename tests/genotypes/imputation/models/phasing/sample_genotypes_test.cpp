#include "genotypes/imputation/models/phasing/sample_genotypes.h"

#include <gtest/gtest.h>

#include <string>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// A sample, with a character for each marker: a letter for a heterozygote of that phase set, '0' for a heterozygote
// that is phased in no set, '/' for an unphased heterozygote, and '.' for a homozygote.
struct OneSample {
  explicit OneSample(const std::string& markers) : samples(DiploidSamples("S", 1)) {
    for (const char marker : markers) {
      const bool is_set = marker >= 'A' && marker <= 'Z';
      rows.push_back({.alleles = marker == '.' ? std::vector<uint8_t>{1, 1} : std::vector<uint8_t>{0, 1},
                      .unphased = {marker == '/' ? uint8_t{1} : uint8_t{0}},
                      .phase_sets = {is_set ? static_cast<uint32_t>(marker) : 0}});
    }
  }

  WindowStudy View(MarkerRange phased = {}) const {
    std::vector<WindowStudy::Site> sites;
    for (const GenotypeRow& row : rows) sites.push_back({static_cast<uint32_t>(sites.size()), &row});
    return {samples, std::move(sites), phased};
  }

  SampleTable samples;
  std::vector<GenotypeRow> rows;
};

void ExpectGiven(const std::string& markers, const std::string& is_given, const std::string& continues_set) {
  const SampleGenotypes sample = ReadGenotypes(OneSample(markers).View(), 0, /*imputes_missing=*/false);
  for (size_t h = 0; h < sample.hets.size(); ++h) {
    EXPECT_EQ(sample.IsGiven(h), is_given[h] == '1') << markers << " " << h;
    EXPECT_EQ(sample.ContinuesSet(h), continues_set[h] == '1') << markers << " " << h;
  }
}

TEST(SampleGenotypesTest, SetsKeepTheirPhase) {
  ExpectGiven("////", "0000", "0000");
  ExpectGiven("00.00", "1111", "1110");
  ExpectGiven("/0/0/", "01010", "01100");
  ExpectGiven("AA.BB/CC", "1111011", "1010010");
  ExpectGiven("A/AB", "1010", "1100");
  ExpectGiven("/0/", "010", "000");
}

TEST(SampleGenotypesTest, KeepsTheFirstOfOverlappingSets) {
  ExpectGiven("ABBA", "1001", "1110");
  ExpectGiven("AABABB", "110111", "111010");
  ExpectGiven("0AA0BB", "100111", "111010");
  ExpectGiven("ABCABC", "100100", "111000");
}

TEST(SampleGenotypesTest, WhatIsToBeFound) {
  EXPECT_TRUE(HasPhase(OneSample("00.0").View(), 0));
  EXPECT_TRUE(HasPhase(OneSample("....").View(), 0));
  EXPECT_FALSE(HasPhase(OneSample("00/0").View(), 0));
  EXPECT_FALSE(HasPhase(OneSample(".A.A").View(), 0));
}

TEST(SampleGenotypesTest, OrientationIsThatOfThePhasedOrOfEarlierWindows) {
  const auto kept = [](const OneSample& sample, MarkerRange phased, const std::vector<uint32_t>& turned) {
    const WindowStudy view = sample.View(phased);
    SampleGenotypes diploid = ReadGenotypes(view, 0, /*imputes_missing=*/false);
    for (const uint32_t j : turned) std::swap(diploid.alleles[0][j], diploid.alleles[1][j]);
    KeepOrientation(view, 0, diploid);
    std::string agree;
    for (size_t j = 0; j < sample.rows.size(); ++j)
      agree += diploid.alleles[0][j] == sample.rows[j].alleles[0] ? '+' : '-';
    return agree;
  };
  // One heterozygote that the study phases decides over any number that were phased in an earlier window.
  EXPECT_EQ(kept(OneSample("////0"), {0, 4}, {4}), "----+");
  EXPECT_EQ(kept(OneSample("////0"), {0, 4}, {0, 1, 2, 3}), "----+");
  // The majority of the heterozygotes phased in an earlier window decides if there is no phased one.
  EXPECT_EQ(kept(OneSample("/////"), {0, 3}, {0, 1, 4}), "++--+");
  EXPECT_EQ(kept(OneSample("/////"), {2, 4}, {0, 1, 4}), "--++-");
  EXPECT_EQ(kept(OneSample("AABBB"), {0, 0}, {0, 1, 4}), "--++-");
}

TEST(PassiveGenotypes, ThoseWithoutReadsAndThoseWithoutARareAllele) {
  const std::vector<float> alt_frequency{0.3f, 0.3f, 0.001f, 0.001f, 0.999f, 0.999f, 0.01f};
  const SampleGenotypes sample{.missing = {0, 1, 2, 3, 4, 5, 6},
                               .likelihoods = {{{0, 0, 0}},     // no reads
                                               {{0, 3, 23}},    // a read of a frequent marker
                                               {{0, 3, 23}},    // a read of REF, where ALT is rare
                                               {{23, 3, 0}},    // a read of ALT, where it is rare
                                               {{0, 3, 23}},    // a read of REF, where it is rare
                                               {{23, 3, 0}},    // a read of ALT, where REF is rare
                                               {{0, 3, 23}}}};  // not rare enough
  EXPECT_EQ(PassiveGenotypes(sample, alt_frequency, 0.005f),
            (std::vector<bool>{true, false, true, false, false, true, false}));
}

}  // namespace

}  // namespace haplospin
