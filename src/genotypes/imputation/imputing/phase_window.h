// Phasing without imputation, and how well a study fits a panel.
#pragma once

#include "genotypes/imputation/copying/study_fit.h"
#include "genotypes/imputation/imputing/window_model.h"
#include "genotypes/imputation/phasing/study/study_phase.h"

namespace haplospin {

// Phases the samples that are not phased, from the panel or, if that has no haplotypes, from each other. The dosages
// are those of the typed markers alone: the alleles of the most probable phase, and the copying model's probability of
// ALT where an allele is missing. Runs on all threads; the result does not depend on their number.
WindowDosages PhaseWindow(PanelWindow& window, const WindowStudy& study, const PhasingOptions& phasing = {});

// Compares evenly spaced haplotypes of the study with the panel, once they are phased.
StudyFit FitWindow(PanelWindow& window, const WindowStudy& study);

class PhasingModel : public WindowModel {
 public:
  explicit PhasingModel(const PhasingOptions& phasing) : phasing_(phasing) {}

  WindowDosages Impute(PanelWindow& window, const WindowStudy& study, MarkerRange /*core*/) const override {
    return PhaseWindow(window, study, phasing_);
  }

  bool AcceptsUnphased() const override { return true; }

 private:
  PhasingOptions phasing_;
};

}  // namespace haplospin
