#include "genotypes/imputation/models/copying/haplotype_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kTargets = 12;

// A panel of all haplotypes of a mosaic but the last ones, which are the targets.
struct Search {
  explicit Search(size_t haplotypes, double missing_rate = 0, size_t markers = 203)
      : mosaic(SimulateMosaic({.haplotypes = haplotypes + kTargets, .markers = markers, .rare_share = 0.1})),
        panel(MakePanel(mosaic, HaploidSamples("R", haplotypes))),
        typed_panel(panel, Every(markers), GeneticMap::Uniform()) {
    RandomStream random(5);
    for (size_t t = 0; t < kTargets; ++t) {
      std::vector<uint8_t> alleles = mosaic.alleles[haplotypes + t];
      for (uint8_t& allele : alleles) {
        if (random.Bernoulli(missing_rate)) allele = kMissingAllele;
      }
      targets.emplace_back(std::move(alleles));
    }
  }

  static std::vector<uint32_t> Every(size_t markers) {
    std::vector<uint32_t> typed(markers);
    for (uint32_t m = 0; m < markers; ++m) typed[m] = m;
    return typed;
  }

  std::vector<std::vector<HaplotypeMatch>> Find(const MatchOptions& options,
                                                const ExcludedHaplotypes& excluded = {}) const {
    std::vector<TargetHaplotype> searched = targets;
    for (TargetHaplotype& target : searched) target.excluded = excluded;
    return FindMatches(typed_panel.rows(), PointersTo(searched), options);
  }

  bool Agree(size_t t, size_t h, size_t j) const {
    const uint8_t allele = targets[t].alleles[j];
    return allele == kMissingAllele || allele == mosaic.alleles[h][j];
  }

  // The longest agreement of haplotype h and target t around markers [begin, end), or nothing.
  HaplotypeMatch Around(size_t t, uint32_t h, uint32_t begin, uint32_t end) const {
    for (uint32_t j = begin; j < end; ++j) {
      if (!Agree(t, h, j)) return {h, 0, 0};
    }
    while (begin > 0 && Agree(t, h, begin - 1)) --begin;
    while (end < typed_panel.num_typed() && Agree(t, h, end)) ++end;
    return {h, begin, end};
  }

  Mosaic mosaic;
  HaplotypePanel panel;
  TypedPanel typed_panel;
  std::vector<TargetHaplotype> targets;
};

// Blocks of a fixed number of markers.
MatchOptions Blocks(size_t markers, size_t per_block) {
  return {.per_block = per_block, .block_markers = markers, .block_centimorgans = 1e6f};
}

// Every haplotype that matches further than the last one kept, in some block and direction, is found.
void ExpectLongest(const Search& search, const MatchOptions& options, size_t t,
                   const std::vector<HaplotypeMatch>& found, uint32_t begin, const ExcludedHaplotypes& excluded) {
  const auto end = static_cast<uint32_t>(std::min(begin + options.block_markers, search.typed_panel.num_typed()));
  std::vector<HaplotypeMatch> all;
  for (uint32_t h = 0; h < search.panel.num_haplotypes(); ++h) {
    if (std::ranges::find(excluded.span(), h) != excluded.span().end()) continue;
    const HaplotypeMatch match = search.Around(t, h, begin, end);
    if (match.end > 0) all.push_back(match);
  }
  const auto expect_found = [&](const auto& is_longer) {
    std::ranges::sort(all, is_longer);
    const size_t kept = std::min(options.per_block, all.size());
    for (size_t k = 0; k < kept; ++k) {
      const bool is_tie = kept < all.size() && !is_longer(all[k], all[kept]);
      ASSERT_TRUE(is_tie || std::ranges::find(found, all[k]) != found.end()) << "haplotype " << all[k].haplotype;
    }
  };
  expect_found([](const HaplotypeMatch& a, const HaplotypeMatch& b) { return a.begin < b.begin; });
  expect_found([](const HaplotypeMatch& a, const HaplotypeMatch& b) { return a.end > b.end; });
}

void ExpectBruteForce(const Search& search, const MatchOptions& options, const ExcludedHaplotypes& excluded = {}) {
  const auto matches = search.Find(options, excluded);
  ASSERT_EQ(matches.size(), kTargets);
  for (size_t t = 0; t < kTargets; ++t) {
    for (uint32_t begin = 0; begin < search.typed_panel.num_typed(); begin += options.block_markers) {
      SCOPED_TRACE(testing::Message() << "target " << t << ", block at " << begin << ", K " << options.block_markers);
      ExpectLongest(search, options, t, matches[t], begin, excluded);
    }
  }
}

// Every match returned cannot be extended; matches are in order, and none is returned twice.
void ExpectMaximal(const Search& search, const MatchOptions& options, const ExcludedHaplotypes& excluded = {}) {
  const auto matches = search.Find(options, excluded);
  for (size_t t = 0; t < kTargets; ++t) {
    ASSERT_FALSE(matches[t].empty());
    for (size_t k = 0; k < matches[t].size(); ++k) {
      const HaplotypeMatch& match = matches[t][k];
      ASSERT_EQ(match, search.Around(t, match.haplotype, match.begin, match.end));
      ASSERT_LT(match.begin, match.end);
      ASSERT_EQ(std::ranges::find(excluded.span(), match.haplotype), excluded.span().end());
      ASSERT_TRUE(k == 0 ||
                  std::pair(matches[t][k - 1].begin, ~matches[t][k - 1].end) <= std::pair(match.begin, ~match.end));
      ASSERT_EQ(std::ranges::count(matches[t], match), 1);
    }
  }
}

TEST(HaplotypeMatches, AreTheLongest) {
  for (const size_t haplotypes : {2, 3, 64, 300}) {
    const Search search(haplotypes);
    for (const size_t block : {1, 3, 8}) {
      for (const size_t per_block : {1, 5, 12}) ExpectBruteForce(search, Blocks(block, per_block));
    }
  }
}

TEST(HaplotypeMatches, AreTheLongestOfThoseNotExcluded) {
  const Search search(100);
  const auto longest = search.Find(Blocks(8, 4));
  const ExcludedHaplotypes excluded{{longest[0][0].haplotype, longest[0][1].haplotype}, 2};
  ExpectBruteForce(search, Blocks(8, 4), excluded);
  ExpectMaximal(search, Blocks(8, 4), excluded);
}

TEST(HaplotypeMatches, CannotBeExtended) {
  for (const double missing_rate : {0.0, 0.1}) {
    const Search search(200, missing_rate);
    ExpectMaximal(search, Blocks(8, 6));
    ExpectMaximal(search, {.per_block = 3, .block_centimorgans = 0.016f});  // blocks of five
  }
}

TEST(HaplotypeMatches, BlocksOfMarkersThatAreFarApartHaveFour) {
  const Search search(200);
  EXPECT_EQ(search.Find({.per_block = 3, .block_centimorgans = 0}), search.Find(Blocks(4, 3)));
}

// A target in the panel that lacks a tenth of its alleles, all of them major ones, still finds itself as a whole.
TEST(HaplotypeMatches, MissingAllelesMatchAnything) {
  Search search(200);
  std::vector<uint8_t> alleles = search.mosaic.alleles[123];
  for (size_t m = 0; m < alleles.size(); m += 10) {
    if (alleles[m] == (search.panel.minor_is_alt(m) ? 0 : 1)) alleles[m] = kMissingAllele;
  }
  search.targets[0] = TargetHaplotype(alleles);
  const auto matches = search.Find({});
  const HaplotypeMatch whole{123, 0, static_cast<uint32_t>(alleles.size())};
  EXPECT_NE(std::ranges::find(matches[0], whole), matches[0].end());
}

// The target differs from all haplotypes of the panel everywhere.
TEST(HaplotypeMatches, MayBeNone) {
  Search search(50);
  Mosaic same = search.mosaic;
  for (auto& haplotype : same.alleles) haplotype = same.alleles[0];
  const HaplotypePanel panel = MakePanel(same, HaploidSamples("R", 50));
  const TypedPanel typed_panel(panel, Search::Every(203), GeneticMap::Uniform());
  std::vector<uint8_t> opposite = same.alleles[0];
  for (uint8_t& allele : opposite) allele ^= 1;
  const TargetHaplotype target(opposite);
  EXPECT_TRUE(FindMatches(typed_panel.rows(), PointersTo({&target, 1}), {})[0].empty());
}

TEST(HaplotypeMatches, WithoutTargetsThereAreNone) {
  const Search search(50);
  EXPECT_TRUE(FindMatches(search.typed_panel.rows(), {}, {}).empty());
}

TEST(HaplotypeMatches, DoNotDependOnOtherTargetsOrThreads) {
  const Search search(300, 0.02);
  SetThreads(1);
  const auto one_thread = search.Find({});
  SetThreads(4);
  EXPECT_EQ(search.Find({}), one_thread);
  SetThreads(AvailableThreads());
  for (size_t t = 0; t < kTargets; ++t) {
    const auto alone = FindMatches(search.typed_panel.rows(), PointersTo({&search.targets[t], 1}), {});
    EXPECT_EQ(alone[0], one_thread[t]) << t;
  }
}

TEST(HaplotypeMatches, MergedMatchesAreThoseOfBothInOrder) {
  const Search search(300);
  const auto found = search.Find({});
  const std::vector<HaplotypeMatch> merged = MergeMatches(found[0], found[1]);
  ASSERT_EQ(merged.size(), found[0].size() + found[1].size());
  for (const HaplotypeMatch& match : found[1]) EXPECT_NE(std::ranges::find(merged, match), merged.end());
  for (size_t k = 1; k < merged.size(); ++k) {
    EXPECT_LE(merged[k - 1].begin, merged[k].begin);
    if (merged[k - 1].begin == merged[k].begin) {
      EXPECT_GE(merged[k - 1].end, merged[k].end);
    }
  }
}

}  // namespace
}  // namespace haplospin
