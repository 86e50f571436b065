#include "genotypes/imputation/models/phase_errors/phase_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/random.h"
#include "core/threads.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/models/phasing/mosaic_phase.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {
namespace {

constexpr size_t kTyped = 400;
constexpr float kSwitching = 0.005f;  // switch probability between typed markers: 0.5 switches in 100

// Returns a sample that is heterozygous at all typed markers, with the versions that follow from the decisions.
SampleTargets With(const std::vector<PhaseDecision>& decisions) {
  PhaseVersion version;
  version.haplotypes.emplace_back(std::vector<uint8_t>(kTyped, 0));
  version.haplotypes.emplace_back(std::vector<uint8_t>(kTyped, 1));
  SampleTargets sample{.versions = {std::move(version)}};
  SetVersions(decisions, std::vector<float>(kTyped - 1, kSwitching), sample);
  return sample;
}

// Returns whether the first haplotype of a version has the allele of the second given haplotype.
bool IsExchanged(const PhaseVersion& version, size_t j) { return version.haplotypes[0].alleles[j] == 1; }

TEST(PhaseDecisions, WithoutDoubtThereIsOneVersion) {
  const SampleTargets sample = With({{100, 9}, {200, -9}, {300, 5}});
  ASSERT_EQ(sample.versions.size(), 1u);
  EXPECT_TRUE(sample.versions[0].weight.empty());
  EXPECT_TRUE(sample.IsCorrected());
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(sample.versions[0], j), 100 <= j && j < 300) << j;
    EXPECT_EQ(sample.versions[0].swapped[j], 100 <= j && j < 300) << j;
    EXPECT_EQ(sample.output()[0].alleles[j], 0);
  }
}

TEST(PhaseDecisions, NoErrorLeavesTheSampleAsItIs) {
  for (const SampleTargets& sample : {With({}), With({{100, -9}})}) {
    EXPECT_EQ(sample.versions.size(), 1u);
    EXPECT_FALSE(sample.IsCorrected());
    EXPECT_TRUE(sample.versions[0].swapped.empty());
    EXPECT_FALSE(IsExchanged(sample.versions[0], kTyped - 1));
  }
}

// There is an error without doubt at 50, an error with doubt at 100, and perhaps an error at 300.
TEST(PhaseDecisions, TheOppositeDecisionsHaveWeightAroundTheDoubts) {
  const SampleTargets sample = With({{50, 8}, {100, 1}, {300, -1.5}});
  ASSERT_EQ(sample.versions.size(), 2u);
  EXPECT_TRUE(sample.HasGivenPhase());
  const auto& [decided, opposite] = std::pair(sample.versions[0], sample.versions[1]);
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(decided, j), 50 <= j && j < 100) << j;
    EXPECT_EQ(IsExchanged(opposite, j), 50 <= j && j < 300) << j;
    EXPECT_EQ(decided.swapped[j], IsExchanged(decided, j)) << j;
    EXPECT_EQ(opposite.swapped[j], IsExchanged(opposite, j)) << j;
  }
  for (size_t i = 0; i < kTyped + 1; ++i) EXPECT_FLOAT_EQ(decided.weight[i] + opposite.weight[i], 1) << i;
  EXPECT_NEAR(opposite.weight[100], 1 / (1 + std::exp(0.5)), 1e-6);
  EXPECT_NEAR(opposite.weight[300], 1 / (1 + std::exp(0.75)), 1e-6);
  EXPECT_EQ(opposite.weight[190], opposite.weight[100]);
  EXPECT_EQ(opposite.weight[210], opposite.weight[300]);
  EXPECT_EQ(opposite.weight[399], opposite.weight[300]);
}

TEST(PhaseDecisions, ADoubtReachesHalfASwitch) {
  const SampleTargets sample = With({{200, -1}});
  ASSERT_EQ(sample.versions.size(), 2u);
  EXPECT_FALSE(sample.IsCorrected());
  for (size_t i = 0; i < kTyped + 1; ++i) {
    if (i == 100 || i == 300) continue;  // the ends of the reach
    EXPECT_EQ(sample.versions[1].weight[i] > 0, 100 < i && i < 300) << i;
  }
}

TEST(PhaseDecisions, KeepsTheLargestOfCloseDoubts) {
  const SampleTargets sample = With({{100, -1.5}, {120, 0.5}, {300, 1.9}});
  ASSERT_EQ(sample.versions.size(), 2u);
  for (size_t j = 0; j < kTyped; ++j) {
    EXPECT_EQ(IsExchanged(sample.versions[0], j), 120 <= j && j < 300) << j;
    EXPECT_FALSE(IsExchanged(sample.versions[1], j)) << j;
  }
}

constexpr size_t kPanel = 200, kStudySamples = 30;

// A study of samples whose haplotypes are mosaics like the panel's.
class PhaseErrorsTest : public testing::Test {
 protected:
  PhaseErrorsTest()
      : mosaic_(SimulateMosaic({.haplotypes = kPanel + 2 * kStudySamples,
                                .markers = 1200,
                                .founders = 30,
                                .switches_per_cm = 0.5,
                                .rare_share = 0,
                                .seed = 3})),
        panel_(MakePanel(mosaic_, DiploidSamples("R", kPanel / 2))),
        typed_panel_(panel_, CommonMarkers(panel_, 2), GeneticMap::Uniform()),
        copying_(EstimatePanelCopying(typed_panel_, {})) {
    for (size_t s = 0; s < kStudySamples; ++s) {
      truth_.emplace_back(AllelesAt(mosaic_.alleles[kPanel + 2 * s], typed_panel_.typed()),
                          AllelesAt(mosaic_.alleles[kPanel + 2 * s + 1], typed_panel_.typed()));
    }
  }

  using Pair = std::pair<std::vector<uint8_t>, std::vector<uint8_t>>;

  // Returns the samples with an exchange of their haplotypes from a heterozygote on, with probability `rate` at each.
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

  static std::vector<SampleTargets> FoundTargets(const std::vector<Pair>& samples) {
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
    const StateSelection selection(typed_panel_, PointersTo(haplotypes), {});
    CopyingModel model = copying_.model;
    model.switch_probability = copying_.last_round.switch_probability;
    SetThreads(threads);
    const SearchedBatch batch{{typed_panel_, model, selection, selected}, samples};
    CorrectPhaseErrors({&batch, 1}, 0);
    SetThreads(AvailableThreads());
  }

  WindowDosages Impute(const SimulatedStudy& study, WindowReport& report) const {
    const auto backend = MakeCpuBackend(LiStephensWeights());
    return ImputeStudy(panel_, study.View(), {0, panel_.num_markers()}, *backend, {}, &report);
  }

  // Counts the heterozygotes whose phase relative to the heterozygote before is wrong.
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
  const TypedPanel typed_panel_;
  const PanelCopying copying_;
  std::vector<Pair> truth_;  // [samples]
};

TEST_F(PhaseErrorsTest, ARightPhaseIsKept) {
  std::vector<SampleTargets> samples = FoundTargets(truth_);
  Correct(samples);
  EXPECT_EQ(std::ranges::count_if(samples, &SampleTargets::IsCorrected), 0);
  const PhaseErrorCounts counts = CountPhaseErrors(samples, 0, typed_panel_.num_typed());
  EXPECT_EQ(counts.errors, 0u);
  EXPECT_GT(counts.hets, 1000u);
}

TEST_F(PhaseErrorsTest, MostErrorsAreCorrected) {
  for (const double rate : {0.002, 0.01, 0.04}) {
    std::vector<SampleTargets> samples = FoundTargets(WithErrors(rate));
    const size_t before = CountWrong(samples);
    ASSERT_GT(before, 5u);
    Correct(samples);
    EXPECT_LT(CountWrong(samples), before / 4) << before << " errors";
    const PhaseErrorCounts counts = CountPhaseErrors(samples, 0, typed_panel_.num_typed());
    EXPECT_NEAR(static_cast<double>(counts.errors), static_cast<double>(before), 0.25 * static_cast<double>(before));
  }
}

TEST_F(PhaseErrorsTest, TheOutputKeepsTheGivenPhase) {
  const std::vector<Pair> given = WithErrors(0.01);
  std::vector<SampleTargets> samples = FoundTargets(given);
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
    EXPECT_EQ(swapped.size(), typed_panel_.num_intervals());
    for (size_t j = 0; j < typed_panel_.num_typed(); ++j) {
      ASSERT_EQ(haplotypes[0].alleles[j], sample.output()[swapped[j] ? 1 : 0].alleles[j]);
      ASSERT_EQ(haplotypes[1].alleles[j], sample.output()[swapped[j] ? 0 : 1].alleles[j]);
    }
  }
  EXPECT_GT(corrected, kStudySamples / 2);
}

TEST_F(PhaseErrorsTest, WhereThereIsDoubtThePhaseHasTwoVersions) {
  std::vector<SampleTargets> samples = FoundTargets(WithErrors(0.04));
  Correct(samples);
  size_t doubtful = 0;
  for (const SampleTargets& sample : samples) {
    doubtful += sample.versions.size() == 2 ? 1 : 0;
    EXPECT_LE(sample.versions.size(), 2u);
    EXPECT_TRUE(sample.HasGivenPhase());
  }
  EXPECT_GT(doubtful, 0u);
  EXPECT_LT(doubtful, kStudySamples);
}

TEST_F(PhaseErrorsTest, DoNotDependOnThreads) {
  std::vector<SampleTargets> one = FoundTargets(WithErrors(0.01)), several = FoundTargets(WithErrors(0.01));
  Correct(one, 1);
  Correct(several, 4);
  for (size_t s = 0; s < kStudySamples; ++s) EXPECT_EQ(one[s].versions[0].swapped, several[s].versions[0].swapped);
}

TEST_F(PhaseErrorsTest, OnlyAGivenPhaseIsCorrected) {
  std::vector<SampleTargets> samples = FoundTargets(WithErrors(0.04));
  for (SampleTargets& sample : samples) sample.phase_probability.assign(typed_panel_.num_typed(), 0.9f);
  Correct(samples);
  EXPECT_EQ(std::ranges::count_if(samples, &SampleTargets::IsCorrected), 0);
  EXPECT_EQ(CountPhaseErrors(samples, 0, typed_panel_.num_typed()).hets, 0u);
}

TEST_F(PhaseErrorsTest, AreCountedWhereTheyAre) {
  std::vector<SampleTargets> samples = FoundTargets(WithErrors(0.01));
  Correct(samples);
  const size_t middle = typed_panel_.num_typed() / 2;
  PhaseErrorCounts sum = CountPhaseErrors(samples, 0, middle);
  sum += CountPhaseErrors(samples, middle, typed_panel_.num_typed());
  const PhaseErrorCounts whole = CountPhaseErrors(samples, 0, typed_panel_.num_typed());
  EXPECT_EQ(sum.errors, whole.errors);
  EXPECT_EQ(sum.hets, whole.hets);
}

// Typed alleles are kept as given, and each imputed allele is on the haplotype that has the typed ones around it.
TEST_F(PhaseErrorsTest, AreCorrectedToImpute) {
  const std::vector<Pair> given = WithErrors(0.01);
  SimulatedStudy study(DiploidSamples("S", kStudySamples), {typed_panel_.typed().begin(), typed_panel_.typed().end()},
                       std::span(mosaic_.alleles).subspan(kPanel));
  WindowReport right_report, report;
  const WindowDosages right = Impute(study, right_report);
  for (size_t s = 0; s < kStudySamples; ++s) {
    for (size_t j = 0; j < typed_panel_.num_typed(); ++j) {
      study.rows[j].alleles[2 * s] = given[s].first[j];
      study.rows[j].alleles[2 * s + 1] = given[s].second[j];
    }
  }
  const WindowDosages found = Impute(study, report);
  EXPECT_EQ(right_report.phase_errors.errors, 0u);
  EXPECT_GT(report.phase_errors.errors, kStudySamples / 2);
  double same = 0, other = 0, right_phase = 0;  // squared errors of untyped markers just after heterozygotes
  for (size_t h = 0; h < found.num_haplotypes(); ++h) {
    const std::vector<uint8_t>& one = mosaic_.alleles[kPanel + h];
    const std::vector<uint8_t>& mate = mosaic_.alleles[kPanel + (h ^ 1)];
    for (size_t j = 0; j + 1 < typed_panel_.num_typed(); ++j) {
      const uint32_t typed = typed_panel_.typed()[j], m = typed + 1;
      ASSERT_EQ(found.Get(h, typed), study.rows[j].alleles[h]);
      if (m == typed_panel_.typed()[j + 1] || one[typed] == mate[typed]) continue;
      const bool is_swapped = study.rows[j].alleles[h] != one[typed];
      same += std::pow(found.Get(h, m) - (is_swapped ? mate : one)[m], 2);
      other += std::pow(found.Get(h, m) - (is_swapped ? one : mate)[m], 2);
      right_phase += std::pow(right.Get(h, m) - one[m], 2);
    }
  }
  EXPECT_LT(same, 2 * right_phase);  // the exact place of the error is uncertain
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
