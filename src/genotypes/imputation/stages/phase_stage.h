// The haplotypes of a study, where phasing alone imputes, and how well a study fits a panel.
#pragma once

#include "genotypes/imputation/models/copying/study_fit.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// How the samples of a window are phased.
struct StudyPhasing {
  PhasingOptions options;
  PhasingPlanMaker herd_plan = PlanFromHerdPanel;  // in place of their plan where haplotypes are shared far

  PhasingOptions In(const WindowState& window) const {
    PhasingOptions result = options;
    if (window.is_scaled()) result.plan = herd_plan;
    return result;
  }
};

// Phases the samples that are not phased, from the panel or, if that has no haplotypes, from each other. The dosages
// are those of the typed markers alone: the alleles of the most probable phase, and the copying model's probability of
// ALT where an allele is missing. People without genotypes have dosages too if they are to be found.
class PhaseStage : public Stage {
 public:
  explicit PhaseStage(const StudyPhasing& phasing, bool bounds_markers = false)
      : phasing_(phasing), bounds_markers_(bounds_markers) {}

  const char* name() const override {
    return phasing_.options.finds_animals  ? "phase families animals"
           : phasing_.options.has_families ? "phase families"
                                           : "phase";
  }
  StageMemory Memory(const WindowSize& size) const override;
  size_t BytesOfMarker(const WindowSize& size) const override;
  void Run(WindowState& window) const override;

 private:
  const StudyPhasing phasing_;
  const bool bounds_markers_;  // whether its memory grows with the markers of the panel or study, as all take part
};

// Returns about how many typed markers a window has.
size_t TypedMarkers(const WindowSize& size);

// Returns the memory of phasing from a panel: of the search for matches, and of their states in each thread.
StageMemory PhasingMemory(const WindowSize& size);

// Bytes of an allele of a study without a panel, half of which are missing: the study's rows, the samples while they
// are phased, those that they copy, and the draws.
inline constexpr size_t kPhasedAlleleBytes = 24;

// Compares evenly spaced haplotypes of the study with the panel, once they are phased.
StudyFit FitWindow(const PanelWindow& window, const WindowStudy& study);

}  // namespace haplospin
