#include "genotypes/imputation/plan/study_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "genotypes/imputation/stages/window_model.h"
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

StudyFacts Facts(const ImputeJob& job, RunOutput output = RunOutput::kDosages) { return MeasureFacts(job, output); }

TEST(StudyFacts, ANetworkImputesCalledGenotypesFromAPanel) {
  EXPECT_TRUE(Facts(Job("panel.vcf")).IsImputedByNetwork());
  EXPECT_FALSE(Facts(Job("panel.vcf", LikelihoodField::kPl)).IsImputedByNetwork());
  EXPECT_FALSE(Facts(Job("")).IsImputedByNetwork());
  EXPECT_FALSE(Facts(Job("panel.vcf"), RunOutput::kPhase).IsImputedByNetwork());
}

TEST(StudyFacts, TheEvidenceIsThatOfTheGenotypes) {
  EXPECT_EQ(Facts(Job("panel.vcf")).evidence, Evidence::kCalls);
  ImputeJob job = Job("panel.vcf", LikelihoodField::kPl);
  EXPECT_EQ(Facts(job).evidence, Evidence::kLikelihoods);
  EXPECT_FALSE(Facts(job).writes_study_only);
  EXPECT_EQ(ReadingOptions(job, Facts(job)).unphased, Unphased::kReadAll);
  job.study.reads.people = std::make_shared<const AlignmentStudy>();
  EXPECT_EQ(Facts(job).evidence, Evidence::kReads);
}

TEST(StudyFacts, StudyMarkersOfAPanelRunAreCompletedUnlessTheyAreLeftOut) {
  ImputeJob job = Job("panel.vcf");
  EXPECT_TRUE(Facts(job).writes_study_only);
  EXPECT_TRUE(Facts(job, RunOutput::kPhase).writes_study_only);
  EXPECT_FALSE(Facts(Job("")).writes_study_only);
  job.output.fields.leaves_out_study = true;
  EXPECT_FALSE(Facts(job).writes_study_only);
}

TEST(StudyFacts, TheModelDecidesHowAStudyIsRead) {
  ImputeJob job = Job("panel.vcf");
  const PhasedOnlyModel model;
  const StudyFacts strict = MeasureFacts(job, RunOutput::kDosages, {.model = &model});
  EXPECT_EQ(ReadingOptions(job, strict).unphased, Unphased::kReject);
  EXPECT_FALSE(ReadingOptions(job, strict).phase_sets);
  EXPECT_FALSE(strict.writes_study_only);
  EXPECT_FALSE(strict.may_be_adapted);
  EXPECT_EQ(ReadingOptions(job, Facts(job)).unphased, Unphased::kAccept);
  EXPECT_TRUE(ReadingOptions(job, Facts(job)).phase_sets);
  job.study.rephase = true;
  EXPECT_EQ(ReadingOptions(job, Facts(job)).unphased, Unphased::kReadAll);
  EXPECT_FALSE(ReadingOptions(job, Facts(job)).phase_sets);
}

TEST(StudyFacts, OneFileForPanelAndStudyIsRefused) { EXPECT_THROW(Facts(Job("study.vcf")), InputError); }

}  // namespace
}  // namespace haplospin
