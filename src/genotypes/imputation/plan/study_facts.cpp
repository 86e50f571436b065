#include "genotypes/imputation/plan/study_facts.h"

#include "haplospin/errors.h"

namespace haplospin {
namespace {

Evidence EvidenceOf(const StudyInput& study) {
  if (study.reads.people) return Evidence::kReads;
  return study.options.likelihoods == LikelihoodField::kNone ? Evidence::kCalls : Evidence::kLikelihoods;
}

}  // namespace

StudyFacts MeasureFacts(const ImputeJob& job, RunOutput output, const Imputer& imputer) {
  if (job.panel.path == job.study.path)
    throw InputError(job.study.path + ": given as panel and as study; give two different files");
  StudyFacts facts{.output = output,
                   .reference = job.panel.path.empty() ? Reference::kStudy : Reference::kPanel,
                   .evidence = EvidenceOf(job.study),
                   .accepts_unphased = imputer.model == nullptr};
  const bool is_called_with_panel = facts.reference == Reference::kPanel && facts.evidence == Evidence::kCalls;
  facts.may_be_adapted = is_called_with_panel && imputer.backend != nullptr;
  facts.writes_study_only = is_called_with_panel && facts.accepts_unphased && !job.output.fields.leaves_out_study;
  return facts;
}

StudyOptions ReadingOptions(const ImputeJob& job, const StudyFacts& facts) {
  StudyOptions options = job.study.options;
  const bool rephases = job.study.rephase || facts.evidence != Evidence::kCalls;
  options.phase_sets = facts.accepts_unphased && !rephases;
  options.unphased = !facts.accepts_unphased ? Unphased::kReject : rephases ? Unphased::kReadAll : Unphased::kAccept;
  return options;
}

}  // namespace haplospin
