#include "genotypes/genomics/sites/strand.h"

#include <gtest/gtest.h>

#include "core/random.h"

namespace haplospin {
namespace {

constexpr size_t kPanel = 400, kStudy = 100;

// `flip`: the study reads the other strand, so that the letter of the panel's ALT is that of the study's REF.
StrandSite MakeSite(const std::vector<bool>& panel, const std::vector<bool>& study, bool flip = false) {
  StrandSite site{.panel_haplotypes = panel.size()};
  site.panel.resize((panel.size() + 63) / 64);
  site.study.resize((study.size() + 63) / 64);
  site.known.resize(site.study.size());
  for (size_t h = 0; h < panel.size(); ++h) site.panel[h / 64] |= uint64_t{panel[h]} << h % 64;
  for (size_t h = 0; h < study.size(); ++h) {
    site.study[h / 64] |= uint64_t{study[h] != flip} << h % 64;
    site.known[h / 64] |= uint64_t{1} << h % 64;
  }
  return site;
}

std::vector<bool> Draw(RandomStream& random, size_t n, double frequency) {
  std::vector<bool> alleles(n);
  for (size_t h = 0; h < n; ++h) alleles[h] = random.Bernoulli(frequency);
  return alleles;
}

// The same alleles but for a share of errors.
std::vector<bool> Linked(RandomStream& random, std::vector<bool> alleles, double errors, bool opposite) {
  for (size_t h = 0; h < alleles.size(); ++h) alleles[h] = alleles[h] != (random.Bernoulli(errors) != opposite);
  return alleles;
}

TEST(AmbiguousStrand, LinkageTellsWhereFrequencyCannot) {
  RandomStream random(1);
  for (const bool flip : {false, true}) {
    const auto panel = Draw(random, kPanel, 0.5), study = Draw(random, kStudy, 0.5);
    const StrandSite site = MakeSite(panel, study, flip);
    const bool opposite = flip;  // the sign of the correlation with a neighbor is of no account
    const StrandSite a = MakeSite(Linked(random, panel, 0.1, opposite), Linked(random, study, 0.1, opposite));
    const StrandSite b = MakeSite(Linked(random, panel, 0.1, !opposite), Linked(random, study, 0.1, !opposite));
    const StrandSite unlinked = MakeSite(Draw(random, kPanel, 0.5), Draw(random, kStudy, 0.5));
    const Strand expected = flip ? Strand::kOther : Strand::kSame;
    EXPECT_EQ(StrandByFrequency(site), Strand::kUndecided);
    EXPECT_EQ(FindStrand(site, std::vector{&a, &unlinked, &b}), expected);
    StrandSite other_a = a, other_b = b;  // neighbors that are known to be on the other strand
    other_a.is_other_strand = other_b.is_other_strand = true;
    EXPECT_EQ(FindStrand(site, std::vector{&other_a, &other_b}), flip ? Strand::kSame : Strand::kOther);
    EXPECT_EQ(FindStrand(site, std::vector{&a, &unlinked}), Strand::kUndecided) << "one neighbor is too few";
    const StrandSite contrary = MakeSite(Linked(random, panel, 0.1, false), Linked(random, study, 0.1, true));
    EXPECT_EQ(FindStrand(site, std::vector{&a, &b, &contrary}), Strand::kUndecided) << "neighbors disagree";
  }
}

TEST(AmbiguousStrand, FrequencyTellsAwayFromAHalf) {
  RandomStream random(2);
  const auto panel = Draw(random, kPanel, 0.15), study = Draw(random, kStudy, 0.2);
  EXPECT_EQ(FindStrand(MakeSite(panel, study), {}), Strand::kSame);
  EXPECT_EQ(FindStrand(MakeSite(panel, study, true), {}), Strand::kOther);
  const auto near_half = Draw(random, kPanel, 0.5);
  EXPECT_EQ(FindStrand(MakeSite(near_half, study), {}), Strand::kUndecided);
}

TEST(AmbiguousStrand, ContradictionIsUndecided) {
  RandomStream random(3);
  const auto panel = Draw(random, kPanel, 0.2), study = Draw(random, kStudy, 0.8);
  const StrandSite site = MakeSite(panel, study);
  const StrandSite a = MakeSite(Linked(random, panel, 0.02, false), Linked(random, study, 0.02, false));
  EXPECT_EQ(StrandByLinkage(site, std::vector{&a, &a}), Strand::kSame);
  EXPECT_EQ(StrandByFrequency(site), Strand::kOther);
  EXPECT_EQ(FindStrand(site, std::vector{&a, &a}), Strand::kUndecided);
}

TEST(AmbiguousStrand, NothingKnownIsUndecided) {
  RandomStream random(4);
  StrandSite site = MakeSite(Draw(random, kPanel, 0.2), Draw(random, kStudy, 0.2));
  const StrandSite neighbor = site;
  site.known.assign(site.known.size(), 0);
  site.study = site.known;
  EXPECT_EQ(FindStrand(site, std::vector{&neighbor, &neighbor}), Strand::kUndecided);
}

// The two haplotypes of each sample in an order of their own.
StrandSite Unphased(RandomStream& random, StrandSite site) {
  for (size_t h = 0; h + 1 < kStudy; h += 2) {
    if (!random.Bernoulli(0.5)) continue;
    uint64_t& word = site.study[h / 64];
    const uint64_t pair = word >> h % 64 & 3;
    word = (word & ~(uint64_t{3} << h % 64)) | ((pair >> 1 | (pair & 1) << 1) << h % 64);
  }
  site.is_phased = false;
  return site;
}

TEST(AmbiguousStrand, LinkageOfUnphasedGenotypes) {
  RandomStream random(7);
  for (const bool flip : {false, true}) {
    for (const bool opposite : {false, true}) {
      const std::vector<bool> panel = Draw(random, kPanel, 0.5), study = Draw(random, kStudy, 0.5);
      const StrandSite site = Unphased(random, MakeSite(panel, study, flip));
      const auto linked = [&] {
        return Unphased(random, MakeSite(Linked(random, panel, 0.1, opposite), Linked(random, study, 0.1, opposite)));
      };
      const StrandSite a = linked(), b = linked(), c = linked();
      EXPECT_EQ(StrandByLinkage(site, std::vector{&a, &b, &c}), flip ? Strand::kOther : Strand::kSame);
    }
  }
}

}  // namespace
}  // namespace haplospin
