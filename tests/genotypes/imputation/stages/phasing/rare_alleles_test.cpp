#include "genotypes/imputation/stages/phasing/rare_alleles.h"

#include <gtest/gtest.h>

#include <memory>

#include "genotypes/imputation/stages/phasing/marker_facts.h"
#include "genotypes/imputation/stages/phasing/unphased_cohort.h"

namespace haplospin {
namespace {

constexpr size_t kRareSamples = 150;

// People whose phase at the frequent markers is known.
class RareAllelesTest : public testing::Test {
 protected:
  RareAllelesTest()
      : cohort_(kRareSamples, {.haplotypes = 2 * kRareSamples, .markers = 400, .founders = 30, .switches_per_cm = 1}),
        scaffold_(MakeScaffold(cohort_.window(), cohort_.study(), 8)) {
    std::vector<SampleGenotypes> samples = ReadGenotypes(scaffold_->study, group_.index, /*imputes_missing=*/false);
    for (size_t s = 0; s < samples.size(); ++s) {
      for (const uint32_t h : samples[s].hets) {
        for (size_t c = 0; c < 2; ++c) samples[s].alleles[c][h] = cohort_.Truth(scaffold_->markers[h], 2 * s + c);
      }
      for (const uint32_t h : samples[s].hets) samples[s].given.push_back(samples[s].alleles[0][h]);
      samples[s].continues_set.assign(samples[s].hets.size(), true);
      if (!samples[s].hets.empty()) samples[s].continues_set.back() = false;
    }
    const PhasingPlan plan = PlanFromStudy({.study_haplotypes = 2 * kRareSamples});
    const MarkerFacts facts = MeasureMarkers(scaffold_->window, scaffold_->study, group_, plan.imputes_missing);
    const PhasingSchedule schedule = plan.schedule({.samples = kRareSamples, .frequent = facts, .shared = facts});
    std::vector<PhaseDraws> draws(kRareSamples);
    PhasedHaplotypes phased = DrawHaplotypes(
        {scaffold_->window, nullptr, scaffold_->study, group_, plan, schedule, schedule.shared, 1, 1, {}},
        std::move(samples), draws);
    for (size_t k = 0; k < draws.size(); ++k) SetMostProbablePhase(std::move(draws[k]), phased.samples[k]);
    placed_ = PlaceRareAlleles(cohort_.study(), *scaffold_, phased, group_);
  }

  // The allele of haplotype c of sample s, whose haplotypes may have been exchanged as a whole.
  uint8_t Truth(uint32_t j, size_t s, size_t c) const {
    const auto is_het = [&](uint32_t m) { return cohort_.Truth(m, 2 * s) != cohort_.Truth(m, 2 * s + 1); };
    const auto het = std::ranges::find_if(scaffold_->markers, is_het);
    const bool is_exchanged =
        het != scaffold_->markers.end() && placed_[s].sample.alleles[0][*het] != cohort_.Truth(*het, 2 * s);
    return cohort_.Truth(j, 2 * s + (is_exchanged ? 1 - c : c));
  }

  const UnphasedCohort cohort_;
  const SampleGroup group_{{0, kRareSamples}, cohort_.Everyone()};
  const std::unique_ptr<const Scaffold> scaffold_;
  std::vector<PlacedSample> placed_;
};

TEST_F(RareAllelesTest, KeepsThePhaseOfTheScaffold) {
  for (size_t s = 0; s < kRareSamples; ++s) {
    for (const uint32_t j : scaffold_->markers) {
      for (size_t c = 0; c < 2; ++c) EXPECT_EQ(placed_[s].sample.alleles[c][j], Truth(j, s, c));
    }
  }
}

TEST_F(RareAllelesTest, PlacesSharedAllelesAndKnowsHowCertainTheyAre) {
  size_t hets = 0, right = 0;
  double certainty = 0;
  for (size_t s = 0; s < kRareSamples; ++s) {
    const SampleGenotypes& sample = placed_[s].sample;
    ASSERT_EQ(placed_[s].certainty.size(), sample.hets.size());
    for (size_t h = 0; h < sample.hets.size(); ++h) {
      const uint32_t j = sample.hets[h];
      const size_t copies = FindMinorAllele(cohort_.study(), j).count;
      if (copies < 2 || copies >= 8) continue;
      ++hets;
      right += sample.alleles[0][j] == Truth(j, s, 0) ? 1 : 0;
      certainty += placed_[s].certainty[h];
    }
  }
  ASSERT_GT(hets, 200u);
  EXPECT_GT(right, hets * 8 / 10);
  EXPECT_NEAR(static_cast<double>(right) / static_cast<double>(hets), certainty / static_cast<double>(hets), 0.1);
}

}  // namespace
}  // namespace haplospin
