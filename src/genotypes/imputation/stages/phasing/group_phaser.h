// Phases samples that are phased together, in all steps of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/phase_draws.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/phasing_plan.h"
#include "genotypes/imputation/stages/phasing/phasing_reference.h"
#include "genotypes/imputation/stages/phasing/phasing_rounds.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

struct PhasedSamples {
  std::vector<SampleGenotypes> samples;   // [index] with their most probable phase
  std::vector<PhasePosterior> posterior;  // [index]
  CopyingModel model;
  PhasingReference reference;  // that the samples copied
};

// Carries out the plan for a group. `estimates` are those of the panel; null if the plan copies none. Alleles that are
// placed last, because one sample alone has them, tell nothing of the other samples: the reference and the model are
// without these markers. Runs on all threads; the result does not depend on their number.
PhasedSamples PhaseGroup(const PanelWindow& window, const PanelEstimates* estimates, const WindowStudy& study,
                         const PhasingPlan& plan, const SampleGroup& group, uint64_t seed, double work);

}  // namespace haplospin
