#include "imputation/phasing/phase_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "core/threads.h"
#include "haplospin/study_genotypes.h"
#include "imputation/imputing/cpu_backend.h"
#include "imputation/imputing/impute_window.h"
#include "imputation/mosaic_panel.h"
#include "imputation/network/network_fixtures.h"
#include "imputation/phasing/mosaic_phase.h"

namespace haplospin {
namespace {

constexpr size_t kPanel = 200, kSamples = 30;

// A study of samples whose haplotypes are mosaics like the panel's.
class PhaseErrorsTest : public testing::Test {
 protected:
  PhaseErrorsTest()
      : mosaic_(SimulateMosaic({.haplotypes = kPanel + 2 * kSamples,
                                .markers = 1200,
                                .founders = 30,
                                .switches_per_cm = 0.5,
                                .rare_share = 0,
                                .seed = 3})),
        panel_(PanelOf(mosaic_, DiploidSamples("R", kPanel / 2))),
        array_(panel_, CommonMarkers(panel_, 2), GeneticMap::Uniform()),
        copying_(EstimatePanelCopying(array_, {})) {
    for (size_t s = 0; s < kSamples; ++s) {
      truth_.emplace_back(AllelesAt(mosaic_.alleles[kPanel + 2 * s], array_.typed()),
                          AllelesAt(mosaic_.alleles[kPanel + 2 * s + 1], array_.typed()));
    }
  }

  using Pair = std::pair<std::vector<uint8_t>, std::vector<uint8_t>>;

  // With an exchange of the haplotypes from a heterozygote on, each with this probability.
  std::vector<Pair> WithErrors(double rate) const {
    std::vector<Pair> samples = truth_;
    RandomStream random(1);
    for (auto& [one, other] : samples) {
      for (size_t j = 0; j < one.size(); ++j) {
        if (one[j] == other[j] || !random.Bernoulli(rate)) continue;
        std::swap_ranges(one.begin() + static_cast<std::ptrdiff_t>(j), one.end(),
                         other.begin() + static_cast<std::ptrdiff_t>(j));
      }
    }
    return samples;
  }

  static std::vector<SampleTargets> TargetsOf(const std::vector<Pair>& samples) {
    std::vector<SampleTargets> targets;
    for (const auto& [one, other] : samples) {
      PhaseVersion version;
      version.haplotypes.emplace_back(one);
      version.haplotypes.emplace_back(other);
      targets.push_back({.versions = {std::move(version)}});
    }
    return targets;
  }

  void Correct(std::vector<SampleTargets>& samples, int threads = 2) const {
    std::vector<TargetHaplotype> haplotypes;
    std::vector<size_t> selected;
    for (const SampleTargets& sample : samples) {
      selected.push_back(haplotypes.size());
      haplotypes.insert(haplotypes.end(), sample.most_probable().begin(), sample.most_probable().end());
    }
    const StateSelection selection(array_, PointersTo(haplotypes), {});
    CopyingModel model = copying_.model;
    model.switch_probability = copying_.last_round.switch_probability;
    SetThreads(threads);
    CorrectPhaseErrors(array_, model, selection, selected, 0, samples);
    SetThreads(AvailableThreads());
  }

  WindowDosages Impute(const SimulatedStudy& study) const {
    return ImputeStudy(panel_, study.View(), {0, panel_.num_markers()}, *MakeCpuBackend(LiStephensWeights()));
  }

  // Heterozygotes with another phase, relative to the one before, than the true one.
  size_t CountWrong(const std::vector<SampleTargets>& samples) const {
    size_t wrong = 0;
    for (size_t s = 0; s < samples.size(); ++s) {
      const std::vector<uint8_t>& found = samples[s].most_probable()[0].alleles;
      wrong += CountSwitchErrors(truth_[s].first, truth_[s].second, [&](size_t j) { return found[j]; });
    }
    return wrong;
  }

  const Mosaic mosaic_;
  const HaplotypePanel panel_;
  const TypedPanel array_;
  const PanelCopying copying_;
  std::vector<Pair> truth_;  // [samples]
};

TEST_F(PhaseErrorsTest, ARightPhaseIsKept) {
  std::vector<SampleTargets> samples = TargetsOf(truth_);
  Correct(samples);
  EXPECT_EQ(std::ranges::count_if(samples, &SampleTargets::IsCorrected), 0);
  const PhaseErrorCounts counts = CountPhaseErrors(samples, 0, array_.num_typed());
  EXPECT_EQ(counts.errors, 0u);
  EXPECT_GT(counts.hets, 1000u);
}

TEST_F(PhaseErrorsTest, MostErrorsAreCorrected) {
  for (const double rate : {0.002, 0.01, 0.04}) {
    std::vector<SampleTargets> samples = TargetsOf(WithErrors(rate));
    const size_t before = CountWrong(samples);
    ASSERT_GT(before, 5u);
    Correct(samples);
    EXPECT_LT(CountWrong(samples), before / 4) << before << " errors";
    const PhaseErrorCounts counts = CountPhaseErrors(samples, 0, array_.num_typed());
    EXPECT_NEAR(static_cast<double>(counts.errors), static_cast<double>(before), 0.25 * static_cast<double>(before));
  }
}

TEST_F(PhaseErrorsTest, TheOutputKeepsTheGivenPhase) {
  const std::vector<Pair> given = WithErrors(0.01);
  std::vector<SampleTargets> samples = TargetsOf(given);
  Correct(samples);
  size_t corrected = 0;
  for (size_t s = 0; s < samples.size(); ++s) {
    const SampleTargets& sample = samples[s];
    EXPECT_EQ(sample.output()[0].alleles, given[s].first);
    EXPECT_EQ(sample.output()[1].alleles, given[s].second);
    EXPECT_TRUE(sample.HasGivenPhase());
    if (!sample.IsCorrected()) continue;
    ++corrected;
    const auto& [haplotypes, swapped, weight] = sample.versions[0];
    EXPECT_EQ(swapped.size(), array_.num_intervals());
    for (size_t j = 0; j < array_.num_typed(); ++j) {
      ASSERT_EQ(haplotypes[0].alleles[j], sample.output()[swapped[j] ? 1 : 0].alleles[j]);
      ASSERT_EQ(haplotypes[1].alleles[j], sample.output()[swapped[j] ? 0 : 1].alleles[j]);
    }
  }
  EXPECT_GT(corrected, kSamples / 2);
}

TEST_F(PhaseErrorsTest, WhereThereIsDoubtThePhaseHasTwoVersions) {
  std::vector<SampleTargets> samples = TargetsOf(WithErrors(0.04));
  Correct(samples);
  size_t doubtful = 0;
  for (const SampleTargets& sample : samples) {
    doubtful += sample.versions.size() == 2 ? 1 : 0;
    EXPECT_LE(sample.versions.size(), 2u);
    EXPECT_TRUE(sample.HasGivenPhase());
  }
  EXPECT_GT(doubtful, 0u);
  EXPECT_LT(doubtful, kSamples);
}

TEST_F(PhaseErrorsTest, DoNotDependOnThreads) {
  std::vector<SampleTargets> one = TargetsOf(WithErrors(0.01)), several = TargetsOf(WithErrors(0.01));
  Correct(one, 1);
  Correct(several, 4);
  for (size_t s = 0; s < kSamples; ++s) EXPECT_EQ(one[s].versions[0].swapped, several[s].versions[0].swapped);
}

TEST_F(PhaseErrorsTest, OnlyAGivenPhaseIsCorrected) {
  std::vector<SampleTargets> samples = TargetsOf(WithErrors(0.04));
  for (SampleTargets& sample : samples) sample.phase_probability.assign(array_.num_typed(), 0.9f);
  Correct(samples);
  EXPECT_EQ(std::ranges::count_if(samples, &SampleTargets::IsCorrected), 0);
  EXPECT_EQ(CountPhaseErrors(samples, 0, array_.num_typed()).hets, 0u);
}

TEST_F(PhaseErrorsTest, AreCountedWhereTheyAre) {
  std::vector<SampleTargets> samples = TargetsOf(WithErrors(0.01));
  Correct(samples);
  const size_t middle = array_.num_typed() / 2;
  PhaseErrorCounts sum = CountPhaseErrors(samples, 0, middle);
  sum += CountPhaseErrors(samples, middle, array_.num_typed());
  const PhaseErrorCounts whole = CountPhaseErrors(samples, 0, array_.num_typed());
  EXPECT_EQ(sum.errors, whole.errors);
  EXPECT_EQ(sum.hets, whole.hets);
}

// Typed alleles are kept as given, and each imputed allele is on the haplotype that has the typed ones around it.
TEST_F(PhaseErrorsTest, AreCorrectedToImpute) {
  const std::vector<Pair> given = WithErrors(0.01);
  SimulatedStudy study(DiploidSamples("S", kSamples), {array_.typed().begin(), array_.typed().end()},
                       std::span(mosaic_.alleles).subspan(kPanel));
  const WindowDosages right = Impute(study);
  for (size_t s = 0; s < kSamples; ++s) {
    for (size_t j = 0; j < array_.num_typed(); ++j) {
      study.alleles[j][2 * s] = given[s].first[j];
      study.alleles[j][2 * s + 1] = given[s].second[j];
    }
  }
  const WindowDosages found = Impute(study);
  EXPECT_EQ(right.phase_errors.errors, 0u);
  EXPECT_GT(found.phase_errors.errors, kSamples / 2);
  double same = 0, other = 0, of_right = 0;  // squared errors of untyped markers just after heterozygotes
  for (size_t h = 0; h < found.num_haplotypes(); ++h) {
    const std::vector<uint8_t>& one = mosaic_.alleles[kPanel + h];
    const std::vector<uint8_t>& mate = mosaic_.alleles[kPanel + (h ^ 1)];
    for (size_t j = 0; j + 1 < array_.num_typed(); ++j) {
      const uint32_t typed = array_.typed()[j], m = typed + 1;
      ASSERT_EQ(found.Get(h, typed), study.alleles[j][h]);
      if (m == array_.typed()[j + 1] || one[typed] == mate[typed]) continue;
      const bool is_swapped = study.alleles[j][h] != one[typed];
      same += std::pow(found.Get(h, m) - (is_swapped ? mate : one)[m], 2);
      other += std::pow(found.Get(h, m) - (is_swapped ? one : mate)[m], 2);
      of_right += std::pow(right.Get(h, m) - one[m], 2);
    }
  }
  EXPECT_LT(same, 2 * of_right);  // where exactly the phase changes is not certain
  EXPECT_GT(other, 3 * same);
}

TEST(EstimatePhaseErrorRate, IsThePriorWithoutSamples) { EXPECT_DOUBLE_EQ(EstimatePhaseErrorRate({}), 1e-3); }

TEST(EstimatePhaseErrorRate, FallsWithSamplesThatHaveNoErrors) {
  const std::vector<PhaseEvidence> samples(10, {.num_hets = 900, .ratios = {}});
  EXPECT_DOUBLE_EQ(EstimatePhaseErrorRate(samples), 1e-4);
}

TEST(EstimatePhaseErrorRate, CountsCertainErrors) {
  const std::vector<PhaseEvidence> samples(20, {.num_hets = 450, .ratios = {{3, 40.0}, {77, 30.0}}});
  EXPECT_NEAR(EstimatePhaseErrorRate(samples), (1 + 40) / 10000.0, 1e-9);
}

// A likelihood ratio of 1 / rate makes an error as probable as none: r = (1 + n / 2) / (1000 + hets).
TEST(EstimatePhaseErrorRate, CountsUncertainErrorsInPart) {
  const double rate = (1 + 6) / 9000.0;
  const std::vector<PhaseEvidence> samples(12, {.num_hets = 8000 / 12, .ratios = {{3, std::log((1 - rate) / rate)}}});
  const double hets = 1000 + 12 * (8000 / 12);
  const double estimate = EstimatePhaseErrorRate(samples);
  EXPECT_NEAR(estimate,
              (1 + 12 / (1 + std::exp(std::log((1 - estimate) / estimate) - std::log((1 - rate) / rate)))) / hets,
              1e-6);
}

}  // namespace
}  // namespace haplospin
