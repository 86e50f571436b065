#include "genotypes/imputation/plan/run_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "genotypes/imputation/stages/phase_window.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

// A network of another architecture, which needs a phased study.
class PhasedOnlyModel : public WindowModel {
 public:
  WindowDosages Impute(const WindowInput& window) const override {
    return {window.panel.wanted(), window.study.samples().num_haplotypes()};
  }
};

ImputeJob Job(const std::string& panel, LikelihoodField likelihoods = LikelihoodField::kNone) {
  ImputeJob job;
  job.study.path = "study.vcf";
  job.panel.path = panel;
  job.study.options.likelihoods = likelihoods;
  return job;
}

TEST(RunPlan, ANetworkImputesCalledGenotypesFromAPanel) {
  EXPECT_TRUE(ImputesByNetwork(Job("panel.vcf")));
  EXPECT_FALSE(ImputesByNetwork(Job("panel.vcf", LikelihoodField::kPl)));
  EXPECT_FALSE(ImputesByNetwork(Job("")));
  const PhasingModel phasing({});
  EXPECT_TRUE(MakeRunPlan(Job("panel.vcf"), RunOutput::kDosages, phasing).uses_network);
  EXPECT_FALSE(MakeRunPlan(Job("panel.vcf"), RunOutput::kPhase, phasing).uses_network);
}

TEST(RunPlan, LikelihoodsMakeAllPanelMarkersAPartOfPhasing) {
  const PhasingModel phasing({});
  const RunPlan with_panel = MakeRunPlan(Job("panel.vcf", LikelihoodField::kPl), RunOutput::kDosages, phasing);
  EXPECT_EQ(with_panel.reference, Reference::kPanel);
  EXPECT_EQ(with_panel.genotypes, GenotypeSource::kLikelihoods);
  EXPECT_TRUE(with_panel.phases_whole_panel);
  EXPECT_TRUE(with_panel.limits_markers);
  EXPECT_FALSE(with_panel.imputes_study_only);
  EXPECT_EQ(with_panel.study.unphased, Unphased::kReadAll);
  const RunPlan without = MakeRunPlan(Job("", LikelihoodField::kPl), RunOutput::kDosages, phasing);
  EXPECT_EQ(without.reference, Reference::kStudy);
  EXPECT_FALSE(without.phases_whole_panel);
  EXPECT_TRUE(without.limits_markers);
}

TEST(RunPlan, PhasingIsFromThePanelOrTheStudy) {
  EXPECT_EQ(ChosenPhasing(Job("panel.vcf")), PhasingSource::kPanel);
  EXPECT_EQ(ChosenPhasing(Job("")), PhasingSource::kStudy);
  EXPECT_EQ(ChosenPhasing(Job("panel.vcf", LikelihoodField::kPl)), PhasingSource::kPanelLikelihoods);
  EXPECT_EQ(ChosenPhasing(Job("", LikelihoodField::kPl)), PhasingSource::kStudyLikelihoods);
}

TEST(RunPlan, StudyMarkersOfAPanelRunAreImputedFromTheStudyUnlessTheyAreLeftOut) {
  const PhasingModel phasing({});
  ImputeJob job = Job("panel.vcf");
  EXPECT_TRUE(MakeRunPlan(job, RunOutput::kPhase, phasing).imputes_study_only);
  EXPECT_FALSE(MakeRunPlan(job, RunOutput::kPhase, phasing).limits_markers);
  job.output.fields.leaves_out_study = true;
  EXPECT_FALSE(MakeRunPlan(job, RunOutput::kDosages, phasing).imputes_study_only);
}

TEST(RunPlan, TheModelDecidesHowAStudyIsRead) {
  ImputeJob job = Job("panel.vcf");
  const RunPlan strict = MakeRunPlan(job, RunOutput::kDosages, PhasedOnlyModel());
  EXPECT_EQ(strict.study.unphased, Unphased::kReject);
  EXPECT_FALSE(strict.study.phase_sets);
  EXPECT_FALSE(strict.imputes_study_only);
  EXPECT_FALSE(strict.uses_adaptation);
  const PhasingModel phasing({});
  EXPECT_EQ(MakeRunPlan(job, RunOutput::kDosages, phasing).study.unphased, Unphased::kAccept);
  EXPECT_TRUE(MakeRunPlan(job, RunOutput::kDosages, phasing).study.phase_sets);
  job.study.rephase = true;
  EXPECT_EQ(MakeRunPlan(job, RunOutput::kDosages, phasing).study.unphased, Unphased::kReadAll);
  EXPECT_FALSE(MakeRunPlan(job, RunOutput::kDosages, phasing).study.phase_sets);
}

TEST(RunPlan, OneFileForPanelAndStudyIsRefused) {
  const PhasingModel phasing({});
  EXPECT_THROW(MakeRunPlan(Job("study.vcf"), RunOutput::kDosages, phasing), InputError);
}

}  // namespace
}  // namespace haplospin
