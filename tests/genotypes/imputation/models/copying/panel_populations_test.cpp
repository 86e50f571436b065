#include "genotypes/imputation/models/copying/panel_populations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/threads.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kPopulationSamples = 60;

// Samples of two populations in turn, which share no founder. Every second marker varies in one of them only.
struct TwoPopulations {
  explicit TwoPopulations(size_t markers = 300) {
    const MosaicOptions options{
        .haplotypes = 2 * kPopulationSamples, .markers = markers, .founders = 12, .switches_per_cm = 3};
    Mosaic mosaic = SimulateMosaic(options);
    MosaicOptions others = options;
    others.seed = 2;
    const Mosaic odd = SimulateMosaic(others);
    for (size_t h = 0; h < 2 * kPopulationSamples; ++h) {
      const size_t population = h / 2 % 2;
      if (population == 1) mosaic.alleles[h] = odd.alleles[h];
      for (size_t m = 1 - population; m < markers; m += 2) mosaic.alleles[h][m] = 0;
    }
    panel = std::make_unique<HaplotypePanel>(MakePanel(mosaic, DiploidSamples("R", kPopulationSamples)));
  }

  PanelPopulations Fit() const { return PanelPopulations(*panel); }

  std::unique_ptr<HaplotypePanel> panel;
};

std::vector<uint32_t> Everyone() {
  std::vector<uint32_t> samples(kPopulationSamples);
  std::iota(samples.begin(), samples.end(), 0);
  return samples;
}

// Returns the shares for a person who copies ten centimorgans of each of these samples, relative to equal shares.
std::vector<float> SharesOf(const PanelPopulations& populations, const std::vector<size_t>& samples) {
  std::vector<float> copied(kPopulationSamples);
  for (const size_t s : samples) copied[s] = 10;
  PopulationMixture mixture = EvenMixture();
  for (int round = 0; round < 20; ++round) {
    populations.Update(Everyone(), copied, 10 * static_cast<float>(samples.size()), 1, mixture);
    EXPECT_NEAR(std::accumulate(mixture.begin(), mixture.end(), 0.0f), 1, 1e-4);
  }
  std::vector<float> shares;
  populations.Shares(Everyone(), mixture, shares);
  return shares;
}

// A study sample that resembles three panel samples also resembles the rest of their population.
TEST(PanelPopulations, AreFoundFromRareAlleles) {
  const PanelPopulations populations = TwoPopulations().Fit();
  for (const size_t population : {0, 1}) {
    const std::vector<float> shares = SharesOf(populations, {population, population + 10, population + 24});
    ASSERT_EQ(shares.size(), kPopulationSamples);
    double own = 0, other = 0;
    for (size_t s = 0; s < kPopulationSamples; ++s) (s % 2 == population ? own : other) += shares[s];
    EXPECT_GT(own, 3 * other);
  }
}

// Enough markers for rounds that use some of them only.
TEST(PanelPopulations, AreFoundFromManyMarkers) {
  const PanelPopulations populations = TwoPopulations(6000).Fit();
  const std::vector<float> shares = SharesOf(populations, {0, 10, 24});
  double own = 0, other = 0;
  for (size_t s = 0; s < kPopulationSamples; ++s) (s % 2 == 0 ? own : other) += shares[s];
  EXPECT_GT(own, 2 * other);
}

TEST(PanelPopulations, AreTheSameWhenMadeFromTheirShares) {
  const TwoPopulations panel;
  const PanelPopulations found = panel.Fit();
  const PanelPopulations again(panel.panel->samples(), found.RelativeShares());
  const std::vector<float> shares = SharesOf(found, {3, 5}), same = SharesOf(again, {3, 5});
  for (size_t s = 0; s < kPopulationSamples; ++s) EXPECT_NEAR(shares[s], same[s], 1e-4 * shares[s]);
}

TEST(PanelPopulations, SharesAverageToOne) {
  const PanelPopulations populations = TwoPopulations().Fit();
  for (const std::vector<size_t>& samples : {std::vector<size_t>{}, {3}, {5, 6, 7, 40}}) {
    const std::vector<float> shares = SharesOf(populations, samples);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0) / kPopulationSamples, 1, 0.01);
  }
}

// The samples of this panel have no alleles in common.
TEST(PanelPopulations, APanelWithoutRareAllelesTellsNothing) {
  const HaplotypePanel panel = MakePanel(SimulateMosaic({.haplotypes = 2, .markers = 300}), HaploidSamples("R", 2));
  const PanelPopulations populations(panel);
  PopulationMixture mixture = EvenMixture();
  const std::vector<uint32_t> both{0, 1};
  populations.Update(both, std::vector<float>{1, 0}, 1, 1, mixture);
  std::vector<float> shares;
  populations.Shares(both, mixture, shares);
  EXPECT_NEAR(shares[0], 1, 1e-5);
  EXPECT_NEAR(shares[1], 1, 1e-5);
}

// Each sample is one haplotype twice, except for the last one.
TEST(PanelPopulations, InbredLinesTellNothing) {
  Mosaic mosaic = SimulateMosaic({.haplotypes = 2 * kPopulationSamples, .markers = 300});
  const auto shares_of = [&] {
    return SharesOf(PanelPopulations(MakePanel(mosaic, DiploidSamples("R", kPopulationSamples))), {3, 4, 50});
  };
  const std::vector<float> outbred = shares_of();
  EXPECT_GT(std::ranges::max(outbred), 1.2f);
  for (size_t h = 0; h + 3 < 2 * kPopulationSamples; h += 2) mosaic.alleles[h + 1] = mosaic.alleles[h];
  for (const float share : shares_of()) EXPECT_NEAR(share, 1, 1e-4);
}

// The same samples in another order give the same populations.
TEST(PanelPopulations, TheOrderOfTheSamplesDoesNotMatter) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 2 * kPopulationSamples, .markers = 300});
  Mosaic turned = mosaic;
  std::ranges::reverse(turned.alleles);
  SampleTable names = DiploidSamples("R", kPopulationSamples);
  const HaplotypePanel panel = MakePanel(mosaic, names);
  std::ranges::reverse(names.names);
  const HaplotypePanel other = MakePanel(turned, names);
  const std::vector<float> shares = SharesOf(PanelPopulations(panel), {3, 4, 50});
  std::vector<float> turned_shares =
      SharesOf(PanelPopulations(other), {kPopulationSamples - 4, kPopulationSamples - 5, kPopulationSamples - 51});
  std::ranges::reverse(turned_shares);
  for (size_t s = 0; s < kPopulationSamples; ++s) EXPECT_NEAR(shares[s], turned_shares[s], 0.02 * shares[s] + 1e-3);
}

TEST(PanelPopulations, TheNumberOfThreadsDoesNotMatter) {
  const TwoPopulations panel;
  SetThreads(1);
  const std::vector<float> one = SharesOf(panel.Fit(), {1, 2, 4});
  SetThreads(4);
  const std::vector<float> four = SharesOf(panel.Fit(), {1, 2, 4});
  SetThreads(AvailableThreads());
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace haplospin
