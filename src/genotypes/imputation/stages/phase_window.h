// Phasing without imputation, and how well a study fits a panel.
#pragma once

#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "genotypes/imputation/stages/window_model.h"

namespace haplospin {

// Phases the samples that are not phased, from the panel or, if that has no haplotypes, from each other. The dosages
// are those of the typed markers alone: the alleles of the most probable phase, and the copying model's probability of
// ALT where an allele is missing. Runs on all threads; the result does not depend on their number.
WindowDosages PhaseWindow(const PanelWindow& window, const WindowStudy& study, const PhasingOptions& phasing = {});

// Compares evenly spaced haplotypes of the study with the panel, once they are phased.
StudyFit FitWindow(const PanelWindow& window, const WindowStudy& study);

class PhasingModel : public WindowModel {
 public:
  explicit PhasingModel(const PhasingOptions& phasing) : WindowModel({.accepts_unphased = true}), phasing_(phasing) {}

  WindowDosages Impute(const WindowInput& window) const override {
    return PhaseWindow(window.panel, window.study, phasing_);
  }

 private:
  PhasingOptions phasing_;
};

}  // namespace haplospin
