#include "genotypes/imputation/models/copying/copying_states.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kHaplotypes = 700, kTyped = 300;

class CopyingStatesTest : public testing::Test {
 protected:
  CopyingStatesTest()
      : mosaic_(SimulateMosaic({.haplotypes = kHaplotypes + 1, .markers = kTyped, .rare_share = 0.2})),
        panel_(MakePanel(mosaic_, HaploidSamples("R", kHaplotypes))),
        typed_panel_(panel_, All(), GeneticMap::Uniform()),
        target_(mosaic_.alleles.back()) {}

  static std::vector<uint32_t> All() {
    std::vector<uint32_t> typed(kTyped);
    std::iota(typed.begin(), typed.end(), 0);
    return typed;
  }

  std::vector<HaplotypeMatch> Matches(const ExcludedHaplotypes& excluded = {}) const {
    const TargetHaplotype target(target_.alleles, excluded);
    return FindMatches(typed_panel_.rows(), PointersTo({&target, 1}), {})[0];
  }

  // The typed marker's haplotypes, one for each state.
  static std::vector<uint32_t> HaplotypesAt(const CopyingStates& states, size_t j) {
    std::vector<uint32_t> haplotypes;
    for (size_t s = 0; s < states.size(); ++s) haplotypes.push_back(states.haplotype(s, j + 1));
    return haplotypes;
  }

  void ExpectValid(const CopyingStates& states, const ExcludedHaplotypes& excluded = {}) const {
    for (size_t j = 0; j < kTyped; ++j) {
      const std::vector<uint32_t> haplotypes = HaplotypesAt(states, j);
      const std::set<uint32_t> different(haplotypes.begin(), haplotypes.end());
      ASSERT_EQ(different.size(), haplotypes.size()) << "a haplotype is in two states at marker " << j;
      for (const uint32_t h : excluded.span()) ASSERT_FALSE(different.contains(h));
      for (size_t s = 0; s < haplotypes.size(); ++s) {
        const uint8_t allele = states.site_bits(j)[s / 64] >> (s % 64) & 1;
        ASSERT_EQ(allele, mosaic_.alleles[haplotypes[s]][j]) << "state " << s << ", marker " << j;
      }
    }
  }

  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  const TypedPanel typed_panel_;
  const TargetHaplotype target_;
};

TEST_F(CopyingStatesTest, AreMadeOfHaplotypesOfThePanel) {
  CopyingStates states;
  for (const size_t max_states : {1, 2, 63, 64, 65, 200}) {
    for (const ExcludedHaplotypes& excluded : {ExcludedHaplotypes{}, ExcludedHaplotypes{{8, 9}, 2}}) {
      states.Assign(typed_panel_.rows(), Matches(excluded), max_states, excluded);
      EXPECT_LE(states.size(), max_states);
      EXPECT_EQ(states.num_copied(), kHaplotypes - excluded.count);
      EXPECT_EQ(states.num_without_state(), states.num_copied() - states.size());
      ExpectValid(states, excluded);
    }
  }
}

// There are two groups of distinct haplotypes, and states begin and end within either.
TEST_F(CopyingStatesTest, DoNotDependOnHowAllelesAreKept) {
  const TypedPanel distinct(panel_, All(), GeneticMap::Uniform(), AlleleStorage::kDistinct);
  ASSERT_EQ(distinct.rows().groups.size(), 2u);
  const std::vector<ExcludedStretch> excluded_stretches{{3, 20, 280}};
  CopyingStates states, expected;
  for (const size_t max_states : {1, 65, 200}) {
    states.Assign(distinct.rows(), Matches(), max_states, {}, excluded_stretches);
    expected.Assign(typed_panel_.rows(), Matches(), max_states, {}, excluded_stretches);
    ExpectValid(states);
    for (size_t j = 0; j < kTyped; ++j) ASSERT_EQ(HaplotypesAt(states, j), HaplotypesAt(expected, j));
  }
}

// The target's own haplotypes take no place of those that are excluded.
TEST_F(CopyingStatesTest, ExcludedHaplotypesAreReplacedWithinTheirStretches) {
  const ExcludedHaplotypes excluded{{8, 9}, 2};
  const std::vector<HaplotypeMatch> matches = Matches(excluded);
  std::vector<ExcludedStretch> excluded_stretches;
  for (const uint32_t h : {7u, matches[0].haplotype, matches[1].haplotype}) {
    excluded_stretches.push_back({h, 0, 40});
    excluded_stretches.push_back({h, 100, kTyped});
  }
  std::ranges::sort(excluded_stretches, {}, [](const ExcludedStretch& b) { return std::pair(b.haplotype, b.begin); });
  CopyingStates states, free_states;
  for (const size_t max_states : {40, 400}) {
    free_states.Assign(typed_panel_.rows(), matches, max_states, excluded);
    states.Assign(typed_panel_.rows(), matches, max_states, excluded, excluded_stretches);
    ASSERT_EQ(states.size(), free_states.size());
    for (size_t j = 0; j < kTyped; ++j) {
      const std::vector<uint32_t> haplotypes = HaplotypesAt(states, j), before = HaplotypesAt(free_states, j);
      for (size_t s = 0; s < states.size(); ++s) {
        const bool is_barred = std::ranges::any_of(excluded_stretches, [&](const ExcludedStretch& b) {
          return b.haplotype == before[s] && b.begin <= j && j < b.end;
        });
        ASSERT_EQ(haplotypes[s] != before[s], is_barred) << "state " << s << ", marker " << j;
        ASSERT_TRUE(haplotypes[s] != 8 && haplotypes[s] != 9);
        const uint8_t allele = states.site_bits(j)[s / 64] >> (s % 64) & 1;
        ASSERT_EQ(allele, mosaic_.alleles[haplotypes[s]][j]) << "state " << s << ", marker " << j;
      }
    }
  }
}

// Where there is no other haplotype, one is copied although it is excluded.
TEST_F(CopyingStatesTest, AllHaplotypesMayBeExcluded) {
  std::vector<ExcludedStretch> excluded_stretches;
  for (uint32_t h = 0; h < kHaplotypes; ++h) excluded_stretches.push_back({h, 10, 20});
  CopyingStates states, free_states;
  free_states.Assign(typed_panel_.rows(), Matches(), 100, {});
  states.Assign(typed_panel_.rows(), Matches(), 100, {}, excluded_stretches);
  for (size_t j = 0; j < kTyped; ++j) ASSERT_EQ(HaplotypesAt(states, j), HaplotypesAt(free_states, j));
}

// Every match has a state of its own, and the states are whole haplotypes.
TEST_F(CopyingStatesTest, EveryMatchHasAStateIfThereAreEnough) {
  const std::vector<HaplotypeMatch> matches = Matches();
  CopyingStates states;
  states.Assign(typed_panel_.rows(), matches, kHaplotypes, {});
  const std::vector<uint32_t> first = HaplotypesAt(states, 0);
  EXPECT_EQ(HaplotypesAt(states, kTyped - 1), first);
  for (const HaplotypeMatch& match : matches) {
    EXPECT_NE(std::ranges::find(first, match.haplotype), first.end());
  }
}

// A new match takes the state whose match ended first, beginning halfway between the two.
TEST_F(CopyingStatesTest, TheStateWhoseMatchEndedFirstIsReplaced) {
  const std::vector<HaplotypeMatch> matches{{0, 0, 100}, {1, 0, 80}, {2, 120, 300}, {0, 150, 250}, {3, 210, 300}};
  CopyingStates states;
  states.Assign(typed_panel_.rows(), matches, 2, {});
  ASSERT_EQ(states.size(), 2u);
  ExpectValid(states);
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(states.haplotype(0, j + 1), j < 210 ? 0u : 3u) << j;  // The matches overlap.
    EXPECT_EQ(states.haplotype(1, j + 1), j < 100 ? 1u : 2u) << j;
  }
}

TEST_F(CopyingStatesTest, AreFilledUpWithOtherHaplotypes) {
  CopyingStates states;
  for (const std::vector<HaplotypeMatch>& matches :
       {std::vector<HaplotypeMatch>{}, std::vector<HaplotypeMatch>{{0, 0, 9}, {5, 3, 300}}}) {
    const size_t max_states = matches.empty() ? typed_panel_.rows().num_haplotypes - 3 : 1024;
    states.Assign(typed_panel_.rows(), matches, max_states, {{0, 10}, matches.empty() ? size_t{2} : size_t{0}});
    EXPECT_EQ(states.size(), CopyingStates::kMinStates);
    ExpectValid(states, {{0, 10}, matches.empty() ? size_t{2} : size_t{0}});
  }
}

TEST_F(CopyingStatesTest, WithoutMatchesAllHaplotypesThatFit) {
  CopyingStates states;
  const size_t all = typed_panel_.rows().num_haplotypes;
  states.Assign(typed_panel_.rows(), {}, all - 2, {{0, 10}, 2});
  EXPECT_EQ(states.size(), all - 2);
  ExpectValid(states, {{0, 10}, 2});
}

// A panel of fewer haplotypes than states that are wanted.
TEST_F(CopyingStatesTest, OfASmallPanelAllButTheExcluded) {
  const HaplotypePanel panel = MakePanel(mosaic_, HaploidSamples("S", 5));
  const TypedPanel typed_panel(panel, All(), GeneticMap::Uniform());
  CopyingStates states;
  states.Assign(typed_panel.rows(), {}, 1024, {{1, 0}, 1});
  std::vector<uint32_t> haplotypes = HaplotypesAt(states, 7);
  std::ranges::sort(haplotypes);
  EXPECT_EQ(haplotypes, (std::vector<uint32_t>{0, 2, 3, 4}));
  EXPECT_EQ(states.num_without_state(), 0u);
}

TEST_F(CopyingStatesTest, TheTargetBeforeDoesNotMatter) {
  CopyingStates used, fresh;
  used.Assign(typed_panel_.rows(), Matches(), 100, {});
  used.Assign(typed_panel_.rows(), Matches({{0, 1}, 2}), 60, {{0, 1}, 2});
  fresh.Assign(typed_panel_.rows(), Matches({{0, 1}, 2}), 60, {{0, 1}, 2});
  ExpectValid(used);
  for (size_t j = 0; j < kTyped; ++j) ASSERT_EQ(HaplotypesAt(used, j), HaplotypesAt(fresh, j));
}

// The number of states of a target that is the same as a quarter of the panel, where 60 matches of a block are kept in
// a small panel.
size_t StatesIn(size_t haplotypes) {
  constexpr size_t kMarkers = 40;
  MutablePanel panel("20", HaploidSamples("R", haplotypes));
  for (size_t m = 0; m < kMarkers; ++m) {
    std::vector<uint64_t> bits(panel.words_per_marker());
    for (size_t h = 0; h < haplotypes; ++h) {
      if (h % 4 == 1 + m % 3) bits[h / 64] |= uint64_t{1} << (h % 64);
    }
    panel.Append({static_cast<int64_t>(1000 * (m + 1)), ".", "A", "C"}, bits.data());
  }
  std::vector<uint32_t> typed(kMarkers);
  std::iota(typed.begin(), typed.end(), 0);
  const TypedPanel typed_panel(panel, typed, GeneticMap::Uniform());
  const TargetHaplotype target(std::vector<uint8_t>(kMarkers, 0));
  const CopyingOptions options{.states = {.matches = {.per_block = 60}}};
  const StateSelection selection(typed_panel, PointersTo({&target, 1}), options.ForPanel(haplotypes).states);
  CopyingStates states;
  selection.Get(0, StateTargets::kOne, states);
  return states.size();
}

TEST(StateSelection, ASmallPanelIsUsedWhole) { EXPECT_EQ(StatesIn(100), 100u); }

// 60 matches in each direction, which may be the same, and others up to kMinStates.
TEST(StateSelection, ALargerOneIsNot) { EXPECT_EQ(StatesIn(4000), CopyingStates::kMinStates); }

TEST(StateSelection, MoreMatchesAreKeptInALargerPanel) {
  EXPECT_GE(StatesIn(20000), 960u);
  EXPECT_LE(StatesIn(20000), 1920u);
  EXPECT_LE(StatesIn(40000), 1920u);  // bounded
}

}  // namespace
}  // namespace haplospin
