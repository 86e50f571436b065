#include "genotypes/imputation/stages/phasing/group_phaser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "genotypes/imputation/models/phasing/mosaic_phase.h"
#include "genotypes/imputation/stages/phasing/scaffold.h"
#include "genotypes/imputation/stages/phasing/unphased_cohort.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kPeople = 100;

PhasedSamples PhaseEveryone(const UnphasedCohort& cohort, const WindowStudy& study, PhasingPlanMaker make) {
  const PhasingPlan plan = make({.study_haplotypes = 2 * kPeople});
  return PhaseGroup(cohort.window(), nullptr, study, plan, {{0, kPeople}, cohort.Everyone()}, 1, 1);
}

// Half of the markers are rare.
class GroupPhaserTest : public testing::Test {
 protected:
  const UnphasedCohort cohort_{kPeople,
                               {.haplotypes = 2 * kPeople, .markers = 300, .founders = 10, .switches_per_cm = 1}};
  const PhasedSamples phased_ = PhaseEveryone(cohort_, cohort_.study(), PlanFromStudy);
};

TEST_F(GroupPhaserTest, FindsThePhaseOfFrequentMarkers) {
  size_t errors = 0, hets = 0;
  for (size_t s = 0; s < kPeople; ++s) {
    std::vector<uint8_t> one, other, found;
    for (size_t j = 0; j < cohort_.study().num_typed(); ++j) {
      if (FindMinorAllele(cohort_.study(), j).count < 10) continue;
      one.push_back(cohort_.Truth(j, 2 * s));
      other.push_back(cohort_.Truth(j, 2 * s + 1));
      found.push_back(phased_.samples[s].alleles[0][j]);
      hets += one.back() != other.back() ? 1 : 0;
    }
    errors += CountSwitchErrors(one, other, [&](size_t m) { return found[m]; });
  }
  ASSERT_GT(hets, 1000u);
  EXPECT_LT(errors, hets / 20);
}

TEST_F(GroupPhaserTest, DrawsAreOfAllMarkers) {
  EXPECT_EQ(phased_.model.switch_probability.size() + 1, phased_.reference.panel().num_typed());
  EXPECT_EQ(phased_.reference.num_haplotypes(), 2 * kPeople);
  for (size_t s = 0; s < kPeople; ++s) {
    const std::vector<bool> cis = CisPhase(phased_.samples[s]);
    const PhasePosterior& draws = phased_.posterior[s];
    ASSERT_EQ(draws.cis_probability.size(), cis.size());
    for (const std::vector<bool>& draw : draws.cis) ASSERT_EQ(draw.size(), cis.size());
    for (size_t h = 1; h < cis.size(); ++h) {
      const auto share = static_cast<double>(std::ranges::count_if(draws.cis, [&](const auto& d) { return d[h]; })) /
                         static_cast<double>(draws.cis.size());
      if (std::abs(draws.cis_probability[h] - 0.5f) < 0.45f) continue;
      EXPECT_EQ(share > 0.5, draws.cis_probability[h] > 0.5f) << s << " " << h;
    }
  }
}

// Two chains of four rounds of four draws each, with draws of their own.
TEST_F(GroupPhaserTest, DrawsAreThoseOfTwoChains) {
  constexpr size_t kChainDraws = 4 * 4;
  size_t equal = 0;
  for (const PhasePosterior& draws : phased_.posterior) {
    ASSERT_EQ(draws.cis.size(), 2 * kChainDraws);
    equal += std::equal(draws.cis.begin(), draws.cis.begin() + kChainDraws, draws.cis.begin() + kChainDraws);
  }
  EXPECT_LT(equal, kPeople / 2);
}

// A few gaps do not change how rare alleles are found, and are imputed at all markers.
TEST(GroupPhaserWithGapsTest, ImputesThem) {
  UnphasedCohort cohort(kPeople, {.haplotypes = 2 * kPeople, .markers = 300, .founders = 10, .switches_per_cm = 1});
  for (size_t j = 0; j < cohort.study().num_typed(); ++j) {
    for (size_t s = j % 20; s < kPeople; s += 20) cohort.SetMissing(j, s);
  }
  const PhasedSamples phased = PhaseEveryone(cohort, cohort.study(), PlanFromStudy);
  EXPECT_LT(phased.reference.panel().num_typed(), 300u) << "alleles of one person are not phased with the others";
  size_t missing = 0, wrong = 0;
  for (size_t s = 0; s < kPeople; ++s) {
    const SampleGenotypes& sample = phased.samples[s];
    ASSERT_EQ(phased.posterior[s].alt[0].size(), sample.missing.size());
    for (size_t k = 0; k < sample.missing.size(); ++k) {
      const uint32_t j = sample.missing[k];
      const float dosage = phased.posterior[s].alt[0][k] + phased.posterior[s].alt[1][k];
      wrong += std::abs(dosage - static_cast<float>(cohort.Truth(j, 2 * s) + cohort.Truth(j, 2 * s + 1))) > 0.5f;
      ++missing;
    }
  }
  ASSERT_EQ(missing, 300 * kPeople / 20);
  EXPECT_LT(wrong, missing / 30);
}

// Reads count where no genotype is certain, as for the only carrier of an allele.
TEST(GroupPhaserWithReadsTest, FindsUncertainGenotypes) {
  constexpr size_t kUncertain = 30;  // marker
  UnphasedCohort cohort(kPeople, {.haplotypes = 2 * kPeople, .markers = 60, .founders = 10, .rare_share = 0});
  std::vector<GenotypeLikelihoods> likelihoods;
  for (size_t s = 0; s < kPeople; ++s) {
    const int alts = cohort.Truth(kUncertain, 2 * s) + cohort.Truth(kUncertain, 2 * s + 1);
    likelihoods.push_back(alts == 0   ? GenotypeLikelihoods{{0, 9, 69}}
                          : alts == 1 ? GenotypeLikelihoods{{20, 0, 20}}
                                      : GenotypeLikelihoods{{69, 9, 0}});
    cohort.SetMissing(kUncertain, s);
  }
  cohort.SetLikelihoods(kUncertain, std::move(likelihoods));
  const PhasedSamples phased = PhaseEveryone(cohort, cohort.study(), PlanFromStudyLikelihoods);
  size_t wrong = 0;
  for (size_t s = 0; s < kPeople; ++s) {
    ASSERT_EQ(phased.samples[s].missing, std::vector<uint32_t>{kUncertain});
    const float dosage = phased.posterior[s].alt[0][0] + phased.posterior[s].alt[1][0];
    const int alts = cohort.Truth(kUncertain, 2 * s) + cohort.Truth(kUncertain, 2 * s + 1);
    wrong += std::abs(dosage - static_cast<float>(alts)) > 0.5f ? 1 : 0;
  }
  EXPECT_LT(wrong, kPeople / 20);
}

}  // namespace
}  // namespace haplospin
