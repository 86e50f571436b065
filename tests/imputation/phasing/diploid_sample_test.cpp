#include "imputation/phasing/diploid_sample.h"

#include <gtest/gtest.h>

#include <string>

#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// A sample, with a character for each marker: a letter for a heterozygote of that phase set, '0' for a heterozygote
// that is phased in no set, '/' for an unphased heterozygote, and '.' for a homozygote.
struct OneSample {
  explicit OneSample(const std::string& markers) : samples(DiploidSamples("S", 1)) {
    for (const char marker : markers) {
      const bool is_set = marker >= 'A' && marker <= 'Z';
      rows.push_back(marker == '.' ? std::vector<uint8_t>{1, 1} : std::vector<uint8_t>{0, 1});
      unphased.push_back({marker == '/' ? uint8_t{1} : uint8_t{0}});
      sets.push_back({is_set ? static_cast<uint32_t>(marker) : 0});
    }
  }

  WindowStudy View() const {
    WindowStudy view{.samples = &samples, .typed = {}, .rows = {}};
    for (size_t j = 0; j < rows.size(); ++j) {
      view.typed.push_back(static_cast<uint32_t>(j));
      view.rows.push_back(&rows[j]);
      view.unphased.push_back(&unphased[j]);
      view.phase_sets.push_back(&sets[j]);
    }
    return view;
  }

  SampleTable samples;
  std::vector<std::vector<uint8_t>> rows, unphased;
  std::vector<std::vector<uint32_t>> sets;
};

std::string Text(const std::vector<bool>& flags) {
  std::string text;
  for (const bool flag : flags) text += flag ? '1' : '0';
  return text;
}

void ExpectFree(const std::string& markers, const std::string& can_flip, const std::string& can_switch_after) {
  const DiploidSample sample = DiploidOf(OneSample(markers).View(), 0);
  EXPECT_EQ(Text(sample.can_flip), can_flip) << markers;
  EXPECT_EQ(Text(sample.can_switch_after), can_switch_after) << markers;
}

TEST(DiploidSampleTest, SetsKeepTheirPhase) {
  ExpectFree("////", "1111", "1111");
  ExpectFree("00.00", "0000", "0001");
  ExpectFree("/0/0/", "10101", "10011");
  ExpectFree("AA.BB/CC", "0000100", "0101101");
  ExpectFree("A/AB", "0101", "0011");
}

TEST(DiploidSampleTest, OfSetsThatOverlapTheFirstIsKept) {
  ExpectFree("ABBA", "0110", "0001");
  ExpectFree("AABABB", "001000", "000101");
  ExpectFree("0AA0BB", "011000", "000101");
  ExpectFree("ABCABC", "011011", "000111");
}

TEST(DiploidSampleTest, SetsTakeThePhaseOfMostHeterozygotes) {
  DiploidSample sample = DiploidOf(OneSample("AAA/BB/0").View(), 0);
  EXPECT_TRUE(HasSets(sample));
  DiploidSample free = WithoutSets(sample);
  EXPECT_FALSE(HasSets(free));
  for (const uint32_t j : {1, 2, 3, 4}) std::swap(free.alleles[0][j], free.alleles[1][j]);
  TakePhase(free, sample);
  // Half of set B agrees, so that it stays. Each '/' keeps its phase relative to the heterozygote on its left.
  EXPECT_EQ(sample.alleles[0], (std::vector<uint8_t>{1, 1, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(sample.alleles[1], (std::vector<uint8_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  EXPECT_FALSE(HasSets(DiploidOf(OneSample("/AA/AA/").View(), 0)));
}

TEST(DiploidSampleTest, WhatIsToBeFound) {
  EXPECT_TRUE(HasPhase(OneSample("00.0").View(), 0));
  EXPECT_TRUE(HasPhase(OneSample("....").View(), 0));
  EXPECT_FALSE(HasPhase(OneSample("00/0").View(), 0));
  EXPECT_FALSE(HasPhase(OneSample(".A.A").View(), 0));
}

TEST(DiploidSampleTest, OrientationIsThatOfThePhasedOrOfEarlierWindows) {
  const auto kept = [](const OneSample& sample, MarkerRange phased, const std::vector<uint32_t>& turned) {
    WindowStudy view = sample.View();
    view.phased = phased;
    DiploidSample diploid = DiploidOf(view, 0);
    for (const uint32_t j : turned) std::swap(diploid.alleles[0][j], diploid.alleles[1][j]);
    KeepOrientation(view, 0, diploid);
    std::string agree;
    for (size_t j = 0; j < sample.rows.size(); ++j) agree += diploid.alleles[0][j] == sample.rows[j][0] ? '+' : '-';
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

}  // namespace

}  // namespace haplospin
