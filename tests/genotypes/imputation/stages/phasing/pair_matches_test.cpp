#include "genotypes/imputation/stages/phasing/pair_matches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Every match at the frequent markers reaches from one of them that differs to the next, whatever rarer ones are like.
TEST(PairMatchesTest, MatchesDependOnFrequentMarkersAlone) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 100, .markers = 300, .founders = 6, .switches_per_cm = 1});
  const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("S", 50));
  const GeneticMap map = GeneticMap::Uniform();
  std::vector<uint32_t> all(panel.num_markers());
  std::iota(all.begin(), all.end(), 0);
  const PanelWindow window(panel, map, all, {0, panel.num_markers()});
  constexpr float kMinFrequency = 0.1f;
  const auto is_frequent = [&](uint32_t j) {
    const float alt = AltFrequency(panel, j);
    return std::min(alt, 1 - alt) >= kMinFrequency;
  };
  const auto frequent_count = std::ranges::count_if(all, is_frequent);
  ASSERT_GT(frequent_count, 20);
  ASSERT_LT(frequent_count, 290);

  const FrequentMarkers frequent(window, kMinFrequency);
  const TargetHaplotype target = frequent.Target(mosaic.alleles[7], {});
  EXPECT_EQ(target.alleles.size(), static_cast<size_t>(frequent_count));
  std::vector<HaplotypeMatch> matches = FindMatches(frequent.rows(), std::array{&target}, MatchOptions())[0];
  frequent.Widen(matches);
  ASSERT_FALSE(matches.empty());
  const auto differs = [&](const HaplotypeMatch& match, uint32_t j) {
    return is_frequent(j) && mosaic.alleles[match.haplotype][j] != mosaic.alleles[7][j];
  };
  for (const HaplotypeMatch& match : matches) {
    for (uint32_t j = match.begin; j < match.end; ++j) ASSERT_FALSE(differs(match, j));
    if (match.begin > 0) {
      ASSERT_TRUE(differs(match, match.begin - 1));
    }
    if (match.end < panel.num_markers()) {
      ASSERT_TRUE(differs(match, match.end));
    }
  }
}

}  // namespace
}  // namespace haplospin
