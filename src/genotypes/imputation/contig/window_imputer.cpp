#include "genotypes/imputation/contig/window_imputer.h"

#include <utility>

#include "genotypes/imputation/contig/window_reader.h"

namespace haplospin {
namespace {

WindowPlan PlanOf(const ImputeJob& job, StudyFacts facts, const Imputer& imputer, const ContigInput& input,
                  const ContigBuffer& buffer) {
  const TransmissionPhaser* const families = buffer.phase().families();
  if (families != nullptr) facts.kin = families->pedigree().others.empty() ? Kin::kStudy : Kin::kPanel;
  PlanSettings settings{
      .seed = job.seed, .imputer = imputer, .families = families, .is_autosomal = input.part.is_autosomal};
  LimitJointStages(job, settings);
  return MakeWindowPlan(facts, settings);
}

}  // namespace

WindowImputer::WindowImputer(const ImputeJob& job, StudyFacts facts, const Imputer& imputer, const ContigInput& input,
                             ContigBuffer& buffer)
    : job_(job), input_(input), buffer_(buffer), plan_(PlanOf(job, facts, imputer, input, buffer)) {
  if (!facts.may_be_adapted) return;
  if (auto adaptation = input.panel.Adaptation()) array_.emplace(buffer.panel().samples(), *std::move(adaptation));
}

ImputedStudy WindowImputer::study() const {
  const TransmissionPhaser* const families = buffer_.phase().families();
  const size_t animals = families == nullptr ? 0 : families->pedigree().animals.size();
  return {plan_, buffer_.samples().num_samples(), buffer_.samples().num_haplotypes() + 2 * animals};
}

WindowStudy WindowImputer::TypedStudy(int64_t last, int64_t phased_from, int64_t phased_until,
                                      WindowStudy::Progress on_progress) const {
  const WindowStudy study = buffer_.Typed(last, kMinTyped, phased_from, phased_until, std::move(on_progress));
  return plan_.takes_whole_panel ? buffer_.WithUntyped(study, last) : study;
}

void WindowImputer::Impute(WindowState& window) {
  if (array_) window.array = array_->Find(buffer_.panel(), window.study.typed(), window.core, window.panel.wanted());
  if (window.array) window.estimates = array_->Estimates(window.panel);
  plan_.Run(window);
  found_ += window.report;
}

std::unique_ptr<const StudyOnlyWindow> WindowImputer::ImputeStudyOnly(const StudyOnlyRange& range) const {
  if (plan_.study_only == nullptr) return nullptr;
  auto window =
      FindStudyOnly(buffer_, input_.map, range, MaxMarkersFromStudy(buffer_.samples().num_haplotypes(), job_));
  if (window != nullptr) window->Run(*plan_.study_only);
  return window;
}

void WindowImputer::AddTo(ContigTotals& totals) const {
  totals.windows = found_;
  totals.array = earlier_;
  if (array_) totals.array += array_->agreement();
}

void WindowImputer::GoOnAfter(const ContigTotals& totals) {
  found_ = totals.windows;
  earlier_ = totals.array;
}

}  // namespace haplospin
