#include "genotypes/imputation/models/copying/copying_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/threads.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

std::vector<uint32_t> Every(size_t step, size_t markers) {
  std::vector<uint32_t> typed;
  for (uint32_t m = 0; m < markers; m += static_cast<uint32_t>(step)) typed.push_back(m);
  return typed;
}

double Mean(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

MosaicOptions Chromosome() {
  return {.haplotypes = 200, .markers = 300, .founders = 8, .switches_per_cm = 0.3, .rare_share = 0};
}

TEST(CopyingModel, AHotspotSwitchesMore) {
  MosaicOptions options = Chromosome();
  options.hotspot = 150;
  const HaplotypePanel panel = MakePanel(SimulateMosaic(options), DiploidSamples("R", 100));
  const TypedPanel typed_panel(panel, Every(3, 300), GeneticMap::Uniform());
  const CopyingModel model = EstimatePanelCopying(typed_panel, {}).model;
  // Typed marker 50 is marker 150: the switches are between 49 and 50.
  const auto largest = std::ranges::max_element(model.switch_probability);
  EXPECT_EQ(largest - model.switch_probability.begin(), 49);
  EXPECT_GT(*largest, 3 * Mean(model.switch_probability));
}

TEST(CopyingModel, MoreRecombinationSwitchesMore) {
  std::vector<double> means;
  for (const double rate : {0.2, 1.0, 5.0}) {
    MosaicOptions options = Chromosome();
    options.switches_per_cm = rate;
    const HaplotypePanel panel = MakePanel(SimulateMosaic(options), DiploidSamples("R", 100));
    means.push_back(
        Mean(EstimatePanelCopying({panel, Every(3, 300), GeneticMap::Uniform()}, {}).model.switch_probability));
  }
  EXPECT_LT(means[0], 0.7 * means[1]);
  EXPECT_LT(means[1], 0.7 * means[2]);
}

// 30 cM, with a typed marker per 0.3 cM, or per 0.9 cM.
TEST(CopyingModel, ASparseArrayDoesNotSwitchMore) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic({.haplotypes = 200,
                                                         .markers = 1000,
                                                         .founders = 12,
                                                         .spacing_bp = 30'000,
                                                         .switches_per_cm = 0.02,
                                                         .rare_share = 0}),
                                         DiploidSamples("R", 100));
  const auto switches = [&](size_t step) {
    const CopyingModel model =
        EstimatePanelCopying({panel, Every(step, 1000), GeneticMap::Uniform()}, {.rate_multiplier = 1}).model;
    return std::accumulate(model.switch_probability.begin(), model.switch_probability.end(), 0.0);
  };
  EXPECT_LT(switches(10), 2);  // simulated: 30 x 0.02
  EXPECT_LT(switches(30), 2);
  EXPECT_GT(switches(30), 0.99 * 30 * 0.05);  // the least: 5 per Morgan
}

// Switches are proportional to genetic distance in a panel with little information.
TEST(CopyingModel, DistanceSwitchesMore) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), DiploidSamples("R", 3));
  std::vector<uint32_t> typed = Every(2, 100);
  for (uint32_t m = 150; m < 300; m += 2) typed.push_back(m);
  const CopyingModel model = EstimatePanelCopying({panel, typed, GeneticMap::Uniform()}, {.rate_multiplier = 1}).model;
  EXPECT_EQ(std::ranges::max_element(model.switch_probability) - model.switch_probability.begin(), 49);
}

TEST(CopyingModel, ProbabilitiesAreProbabilities) {
  for (const size_t haplotypes : {1, 2, 3, 4, 50}) {
    const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), HaploidSamples("R", haplotypes));
    for (const size_t step : {1, 7, 299}) {
      const std::vector<uint32_t> typed = Every(step, 300);
      const CopyingModel model = EstimatePanelCopying({panel, typed, GeneticMap::Uniform()}, {}).model;
      ASSERT_EQ(model.switch_probability.size(), typed.size() - 1);
      for (const float t : model.switch_probability) ASSERT_TRUE(t > 0 && t < 1) << t;
    }
  }
}

// The factor is the full one where switches between adjacent typed markers are rare, and less where they are frequent.
TEST(CopyingModel, FrequentSwitchesAreMultipliedByLess) {
  const HaplotypePanel panel =
      MakePanel(SimulateMosaic({.haplotypes = 200, .markers = 1000, .founders = 20, .switches_per_cm = 2}),
                DiploidSamples("R", 100));
  const auto estimate = [&](size_t step, float rate_multiplier) {
    return EstimatePanelCopying({panel, Every(step, 1000), GeneticMap::Uniform()}, {.rate_multiplier = rate_multiplier})
        .model;
  };
  const auto mean = [&](size_t step, float rate_multiplier) {
    return Mean(estimate(step, rate_multiplier).switch_probability);
  };
  EXPECT_LT(mean(2, 1), 0.12 / 4.5);
  EXPECT_NEAR(mean(2, 4.5f), 4.5 * mean(2, 1), 1e-3);
  const double frequent = mean(20, 1);
  EXPECT_GT(frequent, 0.03);
  EXPECT_NEAR(mean(20, 4.5f), std::max(frequent, 0.12), 0.002);
  // Phasing has rates relative to the estimate: WithRates() divides by what it was multiplied by.
  EXPECT_FLOAT_EQ(estimate(2, 4.5f).multiplier, 4.5f);
  EXPECT_NEAR(mean(20, 4.5f), estimate(20, 4.5f).multiplier * frequent, 1e-3);
}

TEST(CopyingModel, OneTypedMarkerHasNoSwitches) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), DiploidSamples("R", 10));
  const CopyingModel model = EstimatePanelCopying({panel, {7}, GeneticMap::Uniform()}, {}).model;
  EXPECT_TRUE(model.switch_probability.empty());
  EXPECT_GT(model.mismatch_probability, 0);
}

TEST(CopyingModel, TheNumberOfThreadsDoesNotMatter) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), DiploidSamples("R", 100));
  const TypedPanel typed_panel(panel, Every(2, 300), GeneticMap::Uniform());
  SetThreads(1);
  const CopyingModel one = EstimatePanelCopying(typed_panel, {}).model;
  SetThreads(4);
  const CopyingModel four = EstimatePanelCopying(typed_panel, {}).model;
  SetThreads(AvailableThreads());
  EXPECT_EQ(one.switch_probability, four.switch_probability);
}

// A search for other targets too, as that of a window's first samples, does not change the estimate.
TEST(CopyingModel, TheSearchMayHaveOtherTargets) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), DiploidSamples("R", 100));
  const TypedPanel typed_panel(panel, Every(2, 300), GeneticMap::Uniform());
  CopyingOptions options;
  options.states.max_states = 20;
  const PanelCopying alone = EstimatePanelCopying(typed_panel, options);
  const PanelSample sample(typed_panel, options);
  ASSERT_EQ(sample.haplotypes().size(), options.max_haplotypes);
  const TargetHaplotype other(std::vector<uint8_t>(typed_panel.num_typed(), 0));
  std::vector<const TargetHaplotype*> targets = PointersTo(sample.haplotypes());
  targets.insert(targets.end(), 3, &other);
  const PanelCopying together =
      EstimatePanelCopying(typed_panel, sample, {typed_panel, targets, options.states}, options);
  EXPECT_EQ(alone.model.switch_probability, together.model.switch_probability);
  EXPECT_EQ(alone.mismatch_rate, together.mismatch_rate);
}

// A panel with wrong alleles has more mismatches than one without, up to the limit.
TEST(CopyingModel, MismatchesAreThoseOfThePanel) {
  const auto estimate = [](double mutation_rate, const CopyingOptions& options = {}) {
    const HaplotypePanel panel = HaploidPanelOf(SimulateMosaic(
        {.haplotypes = 150, .markers = 300, .founders = 6, .rare_share = 0, .mutation_rate = mutation_rate}));
    return EstimatePanelCopying({panel, Every(3, 300), GeneticMap::Uniform()}, options).model.mismatch_probability;
  };
  EXPECT_LT(estimate(0), 0.001);
  EXPECT_GT(estimate(0.01), 2 * estimate(0.001));
  EXPECT_FLOAT_EQ(estimate(0.05, {.max_mismatch_probability = 0.0005f}), 0.0005f);
}

// Panels of 3,000 to 5,000 haplotypes have the defaults, and smaller ones fewer candidates; from there to four times as
// many haplotypes, matches and states grow and the rate falls; then they stay, but for the matches, of which far larger
// panels need half.
TEST(CopyingModel, OptionsFollowTheSizeOfThePanel) {
  const CopyingOptions defaults;
  const CopyingOptions small = defaults.ForPanel(5000), medium = defaults.ForPanel(10000);
  const CopyingOptions large = defaults.ForPanel(20000), huge = defaults.ForPanel(1'000'000);
  EXPECT_EQ(small.states.matches.per_block, defaults.states.matches.per_block);
  EXPECT_EQ(defaults.ForPanel(100).states.matches.per_block, defaults.states.matches.per_block);
  EXPECT_EQ(small.states.max_states, defaults.states.max_states);
  EXPECT_EQ(small.rate_multiplier, defaults.rate_multiplier);
  EXPECT_EQ(large.states.matches.per_block, 16 * defaults.states.matches.per_block);
  EXPECT_EQ(defaults.ForPanel(100'000).states.matches.per_block, large.states.matches.per_block);
  EXPECT_EQ(2 * defaults.ForPanel(400'000).states.matches.per_block, large.states.matches.per_block);
  EXPECT_EQ(2 * huge.states.matches.per_block, large.states.matches.per_block);
  EXPECT_EQ(large.states.max_states, 2048u);
  EXPECT_NEAR(large.rate_multiplier, 1.96, 0.01);
  EXPECT_EQ(defaults.ForPanel(kMaxCandidates).max_candidates, kMaxCandidates);
  EXPECT_EQ(defaults.ForPanel(kMaxCandidates + 1).max_candidates, 64);
  EXPECT_EQ(defaults.ForPanel(2000).max_candidates, 64);
  EXPECT_EQ(defaults.ForPanel(2500).max_candidates, 80);
  EXPECT_EQ(defaults.ForPanel(3000).max_candidates, kMaxCandidates);
  EXPECT_EQ(huge.max_candidates, kMaxCandidates);
  EXPECT_GT(medium.states.matches.per_block, small.states.matches.per_block);
  EXPECT_LT(medium.states.matches.per_block, large.states.matches.per_block);
  EXPECT_GT(medium.states.max_states, small.states.max_states);
  EXPECT_LT(medium.states.max_states, large.states.max_states);
  EXPECT_EQ(small.min_mismatch_gain, defaults.min_mismatch_gain);
  EXPECT_NEAR(large.min_mismatch_gain, 0.03, 0.001);
  EXPECT_EQ(large.states.max_states, huge.states.max_states);
  EXPECT_EQ(large.rate_multiplier, huge.rate_multiplier);
}

TEST(CopyingModel, EarlierEstimatesGiveTheSameModel) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic(Chromosome()), DiploidSamples("R", 100));
  const CopyingOptions options;
  const PanelCopying found = EstimatePanelCopying({panel, Every(3, 300), GeneticMap::Uniform()}, options);
  const PanelCopying again =
      EarlierPanelCopying(found.switch_probability, found.mismatch_rate, found.unmatched_share, options);
  EXPECT_EQ(again.model.switch_probability, found.model.switch_probability);
  EXPECT_EQ(again.model.mismatch_probability, found.model.mismatch_probability);
  EXPECT_EQ(again.model.multiplier, found.model.multiplier);
  EXPECT_EQ(again.last_round.mismatch_probability, found.last_round.mismatch_probability);
  EXPECT_NEAR(again.switches, found.switches, 0.01 * found.switches);
}

// Switches between markers 1 and 4 and between 4 and 5 of seven.
TEST(SpreadSwitches, TheGapsHaveTheProbabilityTogether) {
  const std::vector<float> morgans{0.01f, 0.01f, 0.03f, 0.02f, 0.02f, 0.04f};
  const std::vector<uint32_t> markers{1, 4, 5};
  PanelCopying copying;
  copying.switch_probability = copying.model.switch_probability = {0.3f, 0.1f};
  SpreadSwitches(markers, morgans, copying);
  EXPECT_TRUE(copying.last_round.switch_probability.empty());
  EXPECT_EQ(copying.model.switch_probability, copying.switch_probability);
  const std::vector<float>& t = copying.switch_probability;
  ASSERT_EQ(t.size(), 6u);
  EXPECT_NEAR((1 - t[1]) * (1 - t[2]) * (1 - t[3]), 0.7f, 1e-5);
  EXPECT_NEAR(std::log(1 - t[2]) / std::log(1 - t[1]), 3, 1e-3);
  EXPECT_NEAR(t[4], 0.1f, 1e-6);
  // the mean rate before the first and after the last
  EXPECT_NEAR(t[0], 1 - std::pow(0.7 * 0.9, 0.01 / 0.08), 1e-5);
  EXPECT_NEAR(t[5], 1 - std::pow(0.7 * 0.9, 0.04 / 0.08), 1e-5);
}

}  // namespace
}  // namespace haplospin
