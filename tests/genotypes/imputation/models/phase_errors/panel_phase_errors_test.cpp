#include "genotypes/imputation/models/phase_errors/panel_phase_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/threads.h"
#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/models/phasing/mosaic_phase.h"

namespace haplospin {
namespace {

constexpr size_t kSamples = 150;
constexpr double kRate = 0.002;  // errors per marker

class PanelPhaseErrorsTest : public testing::Test {
 protected:
  static PanelPhaseErrors Find(const Mosaic& mosaic, int64_t first = 0, int64_t last = INT64_MAX) {
    return FindPanelPhaseErrors(MakePanel(mosaic, DiploidSamples("R", kSamples)), GeneticMap::Uniform(), first, last);
  }

  // Switch errors that are left.
  size_t CountLeft(const Mosaic& mosaic, const std::vector<PhaseExchange>& exchanges) const {
    size_t left = 0;
    for (size_t s = 0; s < kSamples; ++s) {
      const auto allele = [&](size_t m) {
        const auto before = std::ranges::count_if(exchanges, [&](const PhaseExchange& exchange) {
          return exchange.sample == s && exchange.position <= mosaic.markers[m].position;
        });
        return mosaic.alleles[2 * s + (before % 2 == 1 ? 1 : 0)][m];
      };
      left += CountSwitchErrors(truth_.alleles[2 * s], truth_.alleles[2 * s + 1], allele);
    }
    return left;
  }

  const Mosaic truth_ = SimulateMosaic({.haplotypes = 2 * kSamples,
                                        .markers = 800,
                                        .founders = 30,
                                        .switches_per_cm = 0.5,
                                        .rare_share = 0.2,
                                        .seed = 3});
  const Mosaic wrong_ = WithSwitchErrors(truth_, kRate);
};

TEST_F(PanelPhaseErrorsTest, ARightPhaseIsKept) {
  const PanelPhaseErrors errors = Find(truth_);
  EXPECT_TRUE(errors.exchanges.empty());
  EXPECT_EQ(errors.counts.errors, 0u);
  EXPECT_GT(errors.counts.hets, 10'000u);
}

TEST_F(PanelPhaseErrorsTest, MostErrorsAreFound) {
  const size_t before = CountLeft(wrong_, {});
  ASSERT_GT(before, 100u);
  const PanelPhaseErrors errors = Find(wrong_);
  EXPECT_EQ(errors.counts.errors, errors.exchanges.size());
  EXPECT_NEAR(static_cast<double>(errors.exchanges.size()), static_cast<double>(before),
              0.2 * static_cast<double>(before));
  EXPECT_LT(CountLeft(wrong_, errors.exchanges), before / 3);
  EXPECT_TRUE(std::ranges::is_sorted(errors.exchanges, {}, &PhaseExchange::position));
}

TEST_F(PanelPhaseErrorsTest, AreThoseOfTheRange) {
  const int64_t middle = truth_.markers[400].position;
  const PanelPhaseErrors whole = Find(wrong_), left = Find(wrong_, 0, middle), right = Find(wrong_, middle + 1);
  EXPECT_EQ(left.exchanges.size() + right.exchanges.size(), whole.exchanges.size());
  EXPECT_EQ(left.counts.hets + right.counts.hets, whole.counts.hets);
  EXPECT_GT(left.exchanges.size(), 20u);
  EXPECT_GT(right.exchanges.size(), 20u);
}

TEST_F(PanelPhaseErrorsTest, DoNotDependOnThreads) {
  SetThreads(1);
  const PanelPhaseErrors one = Find(wrong_);
  SetThreads(4);
  const PanelPhaseErrors several = Find(wrong_);
  SetThreads(AvailableThreads());
  ASSERT_EQ(one.exchanges.size(), several.exchanges.size());
  for (size_t k = 0; k < one.exchanges.size(); ++k) {
    EXPECT_EQ(one.exchanges[k].position, several.exchanges[k].position);
    EXPECT_EQ(one.exchanges[k].sample, several.exchanges[k].sample);
  }
}

TEST_F(PanelPhaseErrorsTest, HaploidSamplesHaveNone) {
  std::vector<int> ploidies(kSamples, 2);
  for (size_t s = 0; s < kSamples; s += 3) ploidies[s] = 1;
  const SampleTable samples = MakeSamples("R", ploidies);
  Mosaic mosaic = truth_;
  mosaic.alleles.resize(samples.num_haplotypes());
  const PanelPhaseErrors errors = FindPanelPhaseErrors(MakePanel(mosaic, samples), GeneticMap::Uniform(), 0, INT64_MAX);
  // Most pairs are not of a sample of the simulation, but these have no errors of phase either.
  EXPECT_EQ(errors.exchanges.size(), 0u);
  EXPECT_GT(errors.counts.hets, 5'000u);
}

TEST_F(PanelPhaseErrorsTest, SmallPanelsTellNothing) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 4, .markers = 30});
  for (const size_t samples : {1, 2}) {
    const HaplotypePanel panel = MakePanel(mosaic, DiploidSamples("R", samples));
    EXPECT_TRUE(FindPanelPhaseErrors(panel, GeneticMap::Uniform(), 0, INT64_MAX).exchanges.empty()) << samples;
  }
  const MutablePanel one("20", DiploidSamples("R", 50));
  EXPECT_TRUE(FindPanelPhaseErrors(one, GeneticMap::Uniform(), 0, INT64_MAX).exchanges.empty());
}

}  // namespace
}  // namespace haplospin
