#include "genotypes/imputation/plan/run_plan.h"

#include "haplospin/errors.h"

namespace haplospin {
namespace {

Reference ChosenReference(const ImputeJob& job) {
  return job.panel.path.empty() ? Reference::kStudy : Reference::kPanel;
}

GenotypeSource ChosenSource(const ImputeJob& job) {
  const bool are_called = job.study.options.likelihoods == LikelihoodField::kNone;
  return are_called ? GenotypeSource::kCalls : GenotypeSource::kLikelihoods;
}

StudyOptions PlanReading(const ImputeJob& job, bool accepts_unphased) {
  StudyOptions options = job.study.options;
  const bool rephases = job.study.rephase || ChosenSource(job) == GenotypeSource::kLikelihoods;
  options.phase_sets = accepts_unphased && !rephases;
  options.unphased = !accepts_unphased ? Unphased::kReject : rephases ? Unphased::kReadAll : Unphased::kAccept;
  return options;
}

}  // namespace

bool ImputesByNetwork(const ImputeJob& job) {
  return ChosenReference(job) == Reference::kPanel && ChosenSource(job) == GenotypeSource::kCalls;
}

PhasingSource ChosenPhasing(const ImputeJob& job) {
  const bool are_called = ChosenSource(job) == GenotypeSource::kCalls;
  if (ChosenReference(job) == Reference::kPanel) {
    return are_called ? PhasingSource::kPanel : PhasingSource::kPanelLikelihoods;
  }
  return are_called ? PhasingSource::kStudy : PhasingSource::kStudyLikelihoods;
}

RunPlan MakeRunPlan(const ImputeJob& job, RunOutput output, const WindowModel& model) {
  if (job.panel.path == job.study.path)
    throw InputError(job.study.path + ": given as panel and as study; give two different files");
  const bool has_panel = ChosenReference(job) == Reference::kPanel;
  const bool has_likelihoods = ChosenSource(job) == GenotypeSource::kLikelihoods;
  const bool is_called_with_panel = has_panel && !has_likelihoods;
  return {.output = output,
          .reference = ChosenReference(job),
          .genotypes = ChosenSource(job),
          .uses_network = output == RunOutput::kDosages && is_called_with_panel,
          .phases_whole_panel = has_panel && has_likelihoods,
          .limits_markers = !is_called_with_panel,
          .imputes_study_only =
              is_called_with_panel && model.traits().accepts_unphased && !job.output.fields.leaves_out_study,
          .uses_adaptation = is_called_with_panel && model.traits().uses_adaptation,
          .study = PlanReading(job, model.traits().accepts_unphased)};
}

}  // namespace haplospin
