#include "haplospin/imputation/panel_populations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "haplospin/core/threads.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

constexpr size_t kSamples = 60;

std::vector<uint32_t> EveryOther() {
  std::vector<uint32_t> typed;
  for (uint32_t m = 0; m < 300; m += 2) typed.push_back(m);
  return typed;
}

// Samples of two populations in turn, which share no founder.
struct TwoPopulations {
  TwoPopulations() {
    const MosaicOptions options{.haplotypes = kSamples, .markers = 300, .founders = 12, .switches_per_cm = 3};
    Mosaic even = SimulateMosaic(options);
    MosaicOptions others = options;
    others.seed = 2;
    const Mosaic odd = SimulateMosaic(others);
    Mosaic mosaic{even.markers, {}};
    for (size_t s = 0; s < kSamples; ++s) {
      for (const size_t h : {0, 1}) mosaic.alleles.push_back((s % 2 == 0 ? even : odd).alleles[s / 2 * 2 + h]);
    }
    panel = std::make_unique<HaplotypePanel>(PanelOf(mosaic, DiploidSamples("R", kSamples)));
    array = std::make_unique<ArrayPanel>(*panel, EveryOther(), GeneticMap::Uniform());
    model = EstimateCopyingModel(*array, {});
    sample_of = panel->samples().SampleOfHaplotype();
  }

  PanelPopulations Fit() const { return {*array, model, sample_of, kSamples}; }

  std::unique_ptr<HaplotypePanel> panel;
  std::unique_ptr<ArrayPanel> array;
  CopyingModel model;
  std::vector<uint32_t> sample_of;
};

// Of a person who copies one centimorgan of each of these samples.
std::vector<float> LogSharesOf(const PanelPopulations& populations, const std::vector<size_t>& samples) {
  std::vector<float> copied(kSamples);
  for (const size_t s : samples) copied[s] = 1;
  std::vector<float> log_shares;
  populations.LogShares(copied, static_cast<float>(samples.size()), log_shares);
  return log_shares;
}

// Whom a study sample resembles by three panel samples, it resembles in the rest of their population.
TEST(PanelPopulations, AreFoundFromWhomThePanelCopies) {
  const PanelPopulations populations = TwoPopulations().Fit();
  for (const size_t population : {0, 1}) {
    const std::vector<float> log_shares = LogSharesOf(populations, {population, population + 10, population + 24});
    ASSERT_EQ(log_shares.size(), kSamples);
    double own = 0, other = 0;
    for (size_t s = 0; s < kSamples; ++s) (s % 2 == population ? own : other) += std::exp(log_shares[s]);
    EXPECT_GT(own, 3 * other);
  }
}

TEST(PanelPopulations, SharesAverageToOne) {
  const PanelPopulations populations = TwoPopulations().Fit();
  for (const std::vector<size_t>& samples : {std::vector<size_t>{}, {3}, {5, 6, 7, 40}}) {
    double sum = 0;
    for (const float log_share : LogSharesOf(populations, samples)) sum += std::exp(log_share);
    EXPECT_NEAR(sum / kSamples, 1, 0.01);
  }
}

TEST(PanelPopulations, TwoHaplotypesTellNothing) {
  const HaplotypePanel panel = PanelOf(SimulateMosaic({.haplotypes = 2, .markers = 300}), HaploidSamples("R", 2));
  const ArrayPanel array(panel, EveryOther(), GeneticMap::Uniform());
  const PanelPopulations populations(array, EstimateCopyingModel(array, {}), {0, 1}, 2);
  std::vector<float> log_shares;
  populations.LogShares(std::vector<float>{1, 0}, 1, log_shares);
  EXPECT_NEAR(log_shares[0], 0, 1e-5);
  EXPECT_NEAR(log_shares[1], 0, 1e-5);
}

TEST(PanelPopulations, TheNumberOfThreadsDoesNotMatter) {
  const TwoPopulations panel;
  SetThreads(1);
  const std::vector<float> one = LogSharesOf(panel.Fit(), {1, 2, 4});
  SetThreads(4);
  const std::vector<float> four = LogSharesOf(panel.Fit(), {1, 2, 4});
  SetThreads(AvailableThreads());
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace haplospin
