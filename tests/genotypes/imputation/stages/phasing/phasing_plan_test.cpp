#include "genotypes/imputation/stages/phasing/phasing_plan.h"

#include <gtest/gtest.h>

namespace haplospin {
namespace {

constexpr PhasingPlanMaker kMakers[] = {PlanFromPanel,           PlanOfPhase,           PlanFromHerdPanel,
                                        PlanFromStudy,           PlanFromStudyAndPanel, PlanFromPanelLikelihoods,
                                        PlanFromStudyLikelihoods};

// Facts that are the same at all markers.
GroupFacts Facts(size_t samples, const MarkerFacts& markers) {
  return {.samples = samples, .frequent = markers, .shared = markers};
}

// An array without missing genotypes.
constexpr MarkerFacts kArray = {.gap = 0.02};

PhasingSchedule StudySchedule(size_t samples, double missing_share) {
  const PhasingPlan plan = PlanFromStudy({.study_haplotypes = 2 * samples});
  return plan.schedule(
      Facts(samples, {.missing_share = missing_share, .has_imputed_alleles = missing_share > 0, .gap = 0.02}));
}

TEST(PhasingPlanTest, APanelIsCopiedWithItsModelAndPopulations) {
  for (const PhasingPlanMaker make : {PlanFromPanel, PlanFromPanelLikelihoods}) {
    const PhasingPlan plan = make({.study_haplotypes = 100, .panel_haplotypes = 4000});
    EXPECT_TRUE(plan.copies_panel);
    EXPECT_FALSE(plan.copies_each_other);
    EXPECT_EQ(plan.first, FirstHaplotypes::kPanel);
    EXPECT_EQ(plan.population_sweeps, 3);
    EXPECT_FALSE(plan.estimates_model);
    EXPECT_FALSE(plan.scaffold.has_value());
    EXPECT_FALSE(plan.hides_genotypes);
  }
}

TEST(PhasingPlanTest, TheStudyIsCopiedWithAModelOfItsOwn) {
  for (const PhasingPlanMaker make : {PlanFromStudy, PlanFromStudyLikelihoods}) {
    const PhasingPlan plan = make({.study_haplotypes = 1000});
    EXPECT_FALSE(plan.copies_panel);
    EXPECT_TRUE(plan.copies_each_other);
    EXPECT_FALSE(plan.population_sweeps.has_value());
    EXPECT_TRUE(plan.estimates_model);
    EXPECT_TRUE(plan.imputes_missing);
    EXPECT_TRUE(plan.imputes_phased);
    EXPECT_EQ(plan.max_states, 256u);
  }
}

TEST(PhasingPlanTest, ThePanelsIndividualsAreCopiedButNotThoseOfTheStudy) {
  const PhasingPlan plan = PlanFromStudyAndPanel({.study_haplotypes = 160});
  EXPECT_FALSE(plan.copies_panel);  // Its individuals are samples.
  EXPECT_TRUE(plan.copies_each_other);
  EXPECT_FALSE(plan.copies_incomplete);
  EXPECT_EQ(plan.first, FirstHaplotypes::kGuess);
  EXPECT_FALSE(plan.hides_genotypes);
  EXPECT_LT(CountSweeps(plan, plan.schedule(Facts(80, kArray))), 30);
}

TEST(PhasingPlanTest, AnimalsCopyEachOtherAndImproveTheirPhase) {
  const CopyingFacts sizes{.study_haplotypes = 20, .panel_haplotypes = 100};
  const PhasingPlan plan = PlanFromHerdPanel(sizes);
  EXPECT_TRUE(plan.copies_panel);
  EXPECT_TRUE(plan.copies_each_other);
  EXPECT_TRUE(plan.imputes_missing);
  EXPECT_FALSE(plan.imputes_phased);
  EXPECT_GT(plan.schedule(Facts(10, kArray)).improvement_rounds, 0);
  EXPECT_EQ(PlanFromPanel(sizes).schedule(Facts(10, kArray)).improvement_rounds, 0);
}

TEST(PhasingPlanTest, SamplesCopyEachOtherWhereTheyAreAsManyAsThePanel) {
  for (const size_t study_haplotypes : {99, 100, 101}) {
    const CopyingFacts sizes{.study_haplotypes = study_haplotypes, .panel_haplotypes = 100};
    const PhasingPlan plan = PlanFromPanel(sizes);
    EXPECT_EQ(plan.copies_each_other, study_haplotypes >= 100);
    EXPECT_EQ(plan.imputes_missing, study_haplotypes >= 100);
    EXPECT_FALSE(plan.imputes_phased);
    EXPECT_TRUE(PlanFromPanelLikelihoods(sizes).imputes_missing);
    EXPECT_TRUE(PlanFromPanelLikelihoods(sizes).imputes_phased);
    EXPECT_TRUE(plan.judges_population);
    EXPECT_FALSE(PlanFromPanelLikelihoods(sizes).judges_population);
  }
}

TEST(PhasingPlanTest, SequencedSamplesCopyEachOtherForTheirPhase) {
  const auto facts = [](double gap) { return CopyingFacts{100, 4000, gap}; };
  const PhasingPlan sequenced = PlanOfPhase(facts(3e-4)), array = PlanOfPhase(facts(2e-3));
  EXPECT_TRUE(sequenced.copies_panel);
  EXPECT_TRUE(sequenced.copies_each_other);
  EXPECT_TRUE(sequenced.imputes_missing);
  EXPECT_LT(sequenced.max_states, array.max_states);
  EXPECT_LT(sequenced.max_group, 2000u);
  EXPECT_GT(sequenced.schedule(Facts(50, {.gap = 3e-4})).shared.switching, 1);
  EXPECT_FALSE(array.copies_each_other);
  EXPECT_EQ(array.schedule(Facts(50, {.gap = 2e-3})).shared.switching, 1);
  EXPECT_FALSE(PlanFromPanel(facts(3e-4)).copies_each_other);  // Imputation hardly gains.
}

TEST(PhasingPlanTest, FrequentAllelesHaveSixCopiesOrAShareOfTheStudy) {
  const auto frequent = [](size_t people) {
    const PhasingPlan plan = PlanFromStudy({.study_haplotypes = 2 * people});
    EXPECT_EQ(plan.scaffold->shared, 2u);
    return plan.scaffold->frequent;
  };
  EXPECT_EQ(frequent(50), 2u);
  EXPECT_EQ(frequent(300), 3u);  // 0.6 %
  EXPECT_EQ(frequent(600), 6u);
  EXPECT_EQ(frequent(1500), 6u);
  EXPECT_EQ(frequent(5000), 20u);  // 0.2 %
}

TEST(PhasingPlanTest, LikelihoodsTellNothingOfCopies) {
  const PhasingPlan plan = PlanFromStudyLikelihoods({.study_haplotypes = 1000});
  EXPECT_EQ(plan.first, FirstHaplotypes::kClusters);
  EXPECT_FALSE(plan.scaffold.has_value());
  EXPECT_FALSE(plan.hides_genotypes);
  EXPECT_FALSE(plan.excludes_others);
  EXPECT_EQ(PlanFromStudy({.study_haplotypes = 1000}).first, FirstHaplotypes::kNeighbors);
  EXPECT_TRUE(PlanFromStudy({.study_haplotypes = 1000}).hides_genotypes);
  EXPECT_TRUE(PlanFromStudy({.study_haplotypes = 1000}).excludes_others);
}

TEST(PhasingScheduleTest, FromAPanelThereAreFourRoundsOfDraws) {
  const PhasingPlan plan = PlanFromPanel({.study_haplotypes = 100, .panel_haplotypes = 4000});
  const PhasingSchedule schedule = plan.schedule(Facts(50, kArray));
  EXPECT_EQ(schedule.chains, 1u);
  EXPECT_EQ(schedule.improvement_rounds, 0);
  EXPECT_EQ(schedule.draw_rounds, plan.draw_rates.size());
  EXPECT_EQ(CountSweeps(plan, schedule), 2 + 3 + 4 * (1 + 12));
}

TEST(PhasingScheduleTest, LikelihoodsAndAPanelNeedImprovementAndFewMismatches) {
  const PhasingPlan plan = PlanFromPanelLikelihoods({.study_haplotypes = 100, .panel_haplotypes = 4000});
  EXPECT_EQ(plan.max_states, 1000u);
  for (const double gap : {1e-4, 1.0}) {
    const PhasingSchedule schedule = plan.schedule(Facts(50, {.has_imputed_alleles = true, .gap = gap}));
    EXPECT_EQ(schedule.improvement_rounds, 12);
    EXPECT_EQ(schedule.draw_rounds, 4u);
    EXPECT_FLOAT_EQ(schedule.shared.switching, 0.8f);
    EXPECT_FLOAT_EQ(schedule.shared.mismatches, 0.06f);
    EXPECT_EQ(CountSweeps(plan, schedule), 2 + 12 * 1 + 3 + 4 * 7);
  }
}

TEST(PhasingScheduleTest, LikelihoodsAndALargerPanelNeedMoreMatchesAndFewerSweeps) {
  const auto sweeps = [](const PhasingPlan& plan, size_t haplotypes) {
    return CountSweeps(plan,
                       plan.schedule({.samples = 50, .panel_haplotypes = haplotypes, .frequent = {}, .shared = {}}));
  };
  PhasingPlan smaller = PlanFromPanelLikelihoods({.study_haplotypes = 100, .panel_haplotypes = 4000});
  for (const size_t haplotypes : {10000, 40000}) {
    const PhasingPlan larger = PlanFromPanelLikelihoods({.study_haplotypes = 100, .panel_haplotypes = haplotypes});
    EXPECT_GT(larger.matches.per_block, smaller.matches.per_block);
    EXPECT_GT(larger.first_states, smaller.first_states);
    EXPECT_GT(larger.max_states, smaller.max_states);
    EXPECT_LT(sweeps(larger, haplotypes), sweeps(smaller, haplotypes / 4));
    smaller = larger;
  }
}

// docs/phasing.md, "Without a panel".
TEST(PhasingScheduleTest, WithoutAPanelTheRoundsDependOnSamplesAndMissingAlleles) {
  const auto expect = [](const PhasingSchedule& schedule, size_t chains, int improvement, size_t draws) {
    EXPECT_EQ(schedule.chains, chains);
    EXPECT_EQ(schedule.improvement_rounds, improvement);
    EXPECT_EQ(schedule.draw_rounds, draws);
  };
  expect(StudySchedule(500, 0), 2, 12, 4);
  expect(StudySchedule(500, 0.4), 2, 12, 4);
  expect(StudySchedule(500, 0.41), 1, 24, 8);
  expect(StudySchedule(500, 0.8), 1, 60, 8);
  expect(StudySchedule(500, 0.99), 1, 96, 8);
  expect(StudySchedule(500, 1), 1, 96, 8);
  expect(StudySchedule(1999, 0), 2, 12, 4);
  expect(StudySchedule(2000, 0), 1, 12, 8);
  const PhasingPlan reads = PlanFromStudyLikelihoods({.study_haplotypes = 1000});
  expect(reads.schedule(Facts(500, {.has_imputed_alleles = true, .gap = 1})), 1, 24, 8);
}

TEST(PhasingScheduleTest, MissingAllelesLowerTheSwitchProbabilities) {
  EXPECT_FLOAT_EQ(StudySchedule(500, 0.3).shared.switching, 1);
  EXPECT_FLOAT_EQ(StudySchedule(500, 0.5).shared.switching, 1);
  EXPECT_FLOAT_EQ(StudySchedule(500, 0.8).shared.switching, 0.4f);
  EXPECT_FLOAT_EQ(StudySchedule(500, 0.99).shared.switching, 0.1f);
}

// The gap of either kind of markers counts for the rounds at these.
TEST(PhasingScheduleTest, SequencesHaveFewerMismatches) {
  const PhasingPlan plans[] = {PlanFromPanel({.study_haplotypes = 100, .panel_haplotypes = 4000}),
                               PlanFromStudy({.study_haplotypes = 1000})};
  for (const PhasingPlan& plan : plans) {
    PhasingSchedule schedule = plan.schedule({.samples = 500, .frequent = {.gap = 0.0018}, .shared = {.gap = 0.00075}});
    EXPECT_FLOAT_EQ(schedule.frequent.mismatches, 1);
    EXPECT_FLOAT_EQ(schedule.shared.mismatches, 0.5f);
    schedule = plan.schedule(Facts(500, {.gap = 1e-5}));
    EXPECT_FLOAT_EQ(schedule.shared.mismatches, 0.3f);
    schedule = plan.schedule(Facts(500, {.missing_share = 0.1, .has_imputed_alleles = true, .gap = 1e-5}));
    EXPECT_FLOAT_EQ(schedule.shared.mismatches, 1);
  }
}

TEST(PhasingScheduleTest, EveryRoundHasRates) {
  for (const PhasingPlanMaker make : kMakers) {
    const PhasingPlan plan = make({.study_haplotypes = 600, .panel_haplotypes = 0});
    EXPECT_EQ(plan.draw_rates.size(), 4u);
    for (const double missing_share : {0.0, 0.3, 0.9}) {
      const PhasingSchedule schedule = plan.schedule(Facts(300, {.missing_share = missing_share, .gap = 0.02}));
      EXPECT_EQ(schedule.draw_rounds * schedule.chains % plan.draw_rates.size(), 0u);
      EXPECT_GT(CountSweeps(plan, schedule), 0);
    }
  }
}

// Families go on from half of the rounds.
TEST(PhasingScheduleTest, RoughHaplotypes) {
  for (const PhasingPlanMaker make : kMakers) {
    PhasingPlan plan = make({.study_haplotypes = 600, .panel_haplotypes = 0});
    const GroupFacts facts = Facts(300, {.gap = 0.02});
    const PhasingSchedule whole = MakeSchedule(plan, facts);
    plan.is_rough = true;
    const PhasingSchedule rough = MakeSchedule(plan, facts);
    EXPECT_EQ(rough.chains, 1u);
    EXPECT_EQ(rough.improvement_rounds, whole.improvement_rounds / 2);
    EXPECT_EQ(rough.draw_rounds, whole.draw_rounds / 2);
    EXPECT_GT(rough.draw_rounds, 0u);
  }
}

// A round without such a sweep leaves missing alleles without probabilities.
TEST(PhasingPlanTest, EveryRoundOfDrawsFindsTheProbabilitiesOfMissingAlleles) {
  EXPECT_FALSE((DrawSweeps{1, 1}.FindProbabilities()));
  EXPECT_FALSE((DrawSweeps{0, 0}.FindProbabilities()));
  EXPECT_TRUE((DrawSweeps{0, 1}.FindProbabilities()));
  EXPECT_TRUE((DrawSweeps{1, 2}.FindProbabilities()));
  for (const PhasingPlanMaker make : kMakers) {
    for (const size_t panel_haplotypes : {0, 4000, 1'000'000}) {
      EXPECT_TRUE(make({.study_haplotypes = 100, .panel_haplotypes = panel_haplotypes}).draws.FindProbabilities());
    }
  }
}

// Samples that copy each other copy the probabilities of all alleles.
TEST(PhasingPlanTest, RareMarkersAreLeftOutWithLikelihoodsAndAPanel) {
  for (const PhasingPlanMaker make : kMakers) {
    for (const size_t study_haplotypes : {100, 5000}) {
      const PhasingPlan plan = make({.study_haplotypes = study_haplotypes, .panel_haplotypes = 4000});
      EXPECT_EQ(plan.rare_frequency.has_value(), make == PlanFromPanelLikelihoods && study_haplotypes == 100);
      EXPECT_EQ(plan.assigns_reads, plan.rare_frequency.has_value());
      // An odd number of sweeps ends with a forward one, which finds the probabilities of filled genotypes.
      if (plan.rare_frequency) {
        EXPECT_EQ((plan.draws.burn_in + plan.draws.averaged) % 2, 1);
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
