#include "genotypes/imputation/plan/window_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

// A network of another architecture.
class OtherModel : public WindowModel {
 public:
  WindowDosages Impute(const WindowInput& window) const override {
    return {window.panel.wanted(), window.study.samples().num_haplotypes()};
  }
};

class WindowPlanTest : public testing::Test {
 protected:
  WindowPlan Plan(StudyFacts facts, Kin kin = Kin::kNone) const {
    facts.kin = kin;
    return MakeWindowPlan(
        facts, {.imputer = {.backend = backend_.get()}, .families = kin == Kin::kNone ? nullptr : &families_});
  }

  const std::unique_ptr<Backend> backend_ = MakeCpuBackend(LiStephensWeights());
  const TransmissionPhaser families_{Pedigree{.descent = {{.child = 0, .father = 1, .mother = 2}}, .num_people = 3}, 3};
};

TEST_F(WindowPlanTest, CalledGenotypesAreImputedFromAPanel) {
  const WindowPlan plan = Plan({.writes_study_only = true});
  EXPECT_THAT(plan.Names(), ElementsAre("estimate", "scale", "phase correct impute", "joint", "clusters", "sums"));
  EXPECT_THAT(plan.study_only->Names(), ElementsAre("phase", "call"));
  EXPECT_FALSE(plan.takes_whole_panel);
  EXPECT_EQ(plan.BytesOfMarker({.study_haplotypes = 100}), 0u);
  EXPECT_THAT(Plan({.may_be_adapted = true}).Names(),
              ElementsAre("estimate", "scale", "phase correct impute", "joint", "clusters", "array", "sums"));
  EXPECT_EQ(Plan({}).study_only, nullptr);
}

TEST_F(WindowPlanTest, FamiliesAreDrawnIfSomeOfThemAreInThePanel) {
  EXPECT_THAT(Plan({}, Kin::kStudy).Names(),
              ElementsAre("estimate", "scale", "phase correct impute", "joint", "clusters", "sums"));
  const WindowPlan plan = Plan({.writes_study_only = true}, Kin::kPanel);
  EXPECT_THAT(plan.Names(),
              ElementsAre("estimate", "scale", "phase correct impute", "joint", "clusters", "families", "sums"));
  EXPECT_THAT(plan.study_only->Names(), ElementsAre("phase", "call"));
}

TEST_F(WindowPlanTest, PeopleWithoutGenotypesAreFoundExceptOnSexChromosomes) {
  const TransmissionPhaser families(
      Pedigree{.descent = {{.child = 0, .father = 1, .mother = 2}}, .num_people = 3, .animals = {2}}, 2);
  StudyFacts facts{.kin = Kin::kStudy};
  PlanSettings settings{.imputer = {.backend = backend_.get()}, .families = &families};
  EXPECT_THAT(MakeWindowPlan(facts, settings).Names(),
              ElementsAre("estimate", "scale", "phase correct impute", "joint", "clusters", "animals", "sums"));
  settings.is_autosomal = false;
  EXPECT_THAT(MakeWindowPlan(facts, settings).Names(), testing::Not(testing::Contains(std::string("animals"))));
  facts.reference = Reference::kStudy;
  EXPECT_THAT(MakeWindowPlan(facts, settings).Names(), ElementsAre("phase families", "sums", "call"));
  settings.is_autosomal = true;
  EXPECT_THAT(MakeWindowPlan(facts, settings).Names(), ElementsAre("phase families animals", "sums", "call"));
}

TEST_F(WindowPlanTest, LikelihoodsArePhasedAtAllMarkersOfThePanel) {
  for (const Evidence evidence : {Evidence::kLikelihoods, Evidence::kReads}) {
    const WindowPlan plan = Plan({.evidence = evidence});
    EXPECT_THAT(plan.Names(), ElementsAre("estimate", "scale", "phase", "sums"));
    EXPECT_TRUE(plan.takes_whole_panel);
    EXPECT_LT(plan.Copying(1000).max_haplotypes, CopyingOptions().ForPanel(1000).max_haplotypes);
    EXPECT_GT(plan.BytesOfMarker({.panel = {.haplotypes = 1000}, .study_haplotypes = 100}), 0u);
  }
}

TEST_F(WindowPlanTest, AStudyAloneIsPhasedAndCalledByGenotype) {
  for (const Evidence evidence : {Evidence::kCalls, Evidence::kLikelihoods}) {
    for (const RunOutput output : {RunOutput::kDosages, RunOutput::kPhase}) {
      const StudyFacts facts{.output = output, .reference = Reference::kStudy, .evidence = evidence};
      const WindowPlan plan = Plan(facts), with_families = Plan(facts, Kin::kStudy);
      EXPECT_THAT(plan.Names(), ElementsAre("phase", "sums", "call"));
      EXPECT_THAT(with_families.Names(), ElementsAre("phase families", "sums", "call"));
      EXPECT_FALSE(plan.takes_whole_panel);
      const WindowSize size{.study_haplotypes = 100};
      EXPECT_LT(plan.BytesOfMarker(size), with_families.BytesOfMarker(size));
    }
  }
}

TEST_F(WindowPlanTest, PhasingFromAPanelImputesNoMarkers) {
  const WindowPlan plan = Plan({.output = RunOutput::kPhase, .writes_study_only = true});
  EXPECT_THAT(plan.Names(), ElementsAre("estimate", "scale", "phase", "sums"));
  EXPECT_THAT(plan.study_only->Names(), ElementsAre("phase", "call"));
  EXPECT_EQ(plan.BytesOfMarker({.panel = {.haplotypes = 1000}, .study_haplotypes = 100}), 0u);
}

TEST_F(WindowPlanTest, AnotherModelDoesAllByItself) {
  const OtherModel model;
  const WindowPlan plan = MakeWindowPlan({}, {.imputer = {.model = &model}});
  EXPECT_THAT(plan.Names(), ElementsAre("impute", "sums"));
}

// Sets the dosages of what is found to the number of the marker.
class NumberStage : public Stage {
 public:
  const char* name() const override { return "number"; }
  void Run(WindowState& window) const override {
    const MarkerRange found = window.found();
    window.dosages.emplace(found, 1);
    for (size_t m = found.begin; m < found.end; ++m) window.dosages->Set(0, m, static_cast<double>(m) / 16);
  }
};

// Notes the range that it was given.
class CoreStage : public Stage {
 public:
  CoreStage(bool applies, MarkerRange& given) : applies_(applies), given_(given) {}

  const char* name() const override { return "core"; }
  bool Applies(const WindowState& /*window*/) const override { return applies_; }
  bool NeedsCore() const override { return true; }
  void Run(WindowState& window) const override { given_ = window.dosages->range; }

 private:
  const bool applies_;
  MarkerRange& given_;
};

TEST_F(WindowPlanTest, StagesThatApplyGetTheWholeCoreAndTheWantedMarkersAreLeft) {
  MutablePanel panel("20", DiploidSamples("R", 1));
  const uint64_t bits = 1;
  for (int64_t m = 0; m < 10; ++m) panel.Append({100 + m, ".", "A", "C"}, &bits);
  const GeneticMap map = GeneticMap::Uniform();
  const SampleTable samples = DiploidSamples("S", 0);
  const WindowStudy study(samples, {});
  const PanelWindow window(panel, map, {2}, {4, 6});
  for (const bool applies : {false, true}) {
    MarkerRange given{0, 0};
    WindowPlan plan;
    plan.stages.push_back(std::make_unique<NumberStage>());
    plan.stages.push_back(std::make_unique<CoreStage>(applies, given));
    WindowState state(window, study, {1, 9});
    plan.Run(state);
    EXPECT_EQ(given, applies ? state.core : (MarkerRange{0, 0}));
    EXPECT_EQ(state.dosages->range, window.wanted());
    for (const size_t m : {4, 5}) EXPECT_NEAR(state.dosages->Get(0, m), static_cast<double>(m) / 16, 1e-4);
  }
}

}  // namespace
}  // namespace haplospin
