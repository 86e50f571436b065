// Imputes the windows of a contig by the plan for its study.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "genotypes/imputation/adapt/adapted_array.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/contig_input.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "genotypes/imputation/plan/window_plan.h"
#include "genotypes/imputation/window/window_state.h"

namespace haplospin {

class WindowImputer {
 public:
  // All arguments must outlive the object. Kin of the facts is measured in the buffer.
  WindowImputer(const ImputeJob& job, StudyFacts facts, const Imputer& imputer, const ContigInput& input,
                ContigBuffer& buffer);

  const WindowPlan& plan() const { return plan_; }
  ImputedStudy study() const;

  // Returns the study of the buffer at the markers that take part, as ContigBuffer::Typed().
  WindowStudy TypedStudy(int64_t last, int64_t phased_from, int64_t phased_until,
                         WindowStudy::Progress on_progress) const;

  // Finds the dosages of a window.
  void Impute(WindowState& window);

  // Imputes what the panel does not have. Returns null if nothing is imputed.
  std::unique_ptr<const StudyOnlyWindow> ImputeStudyOnly(const StudyOnlyRange& range) const;

  // Adds what was found in all windows, or goes on after what another run has found.
  void AddTo(ContigTotals& totals) const;
  void GoOnAfter(const ContigTotals& totals);

 private:
  const ImputeJob& job_;
  const ContigInput& input_;
  ContigBuffer& buffer_;
  const WindowPlan plan_;
  std::optional<AdaptedArray> array_;  // that the panel is adapted to
  WindowReport found_;
  ArrayAgreement earlier_;
};

}  // namespace haplospin
