// Imputation of a study together with the individuals of its panel, whose phase is found again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Returns whether panel and study are so small that AverageWithJoint() is worth its time. `core` is that of the window.
bool IsJointWindow(const PanelWindow& window, const WindowStudy& study, MarkerRange core, size_t max_alleles);

// The phase of a small panel was found from few individuals, and has errors that the haplotypes of a study are copied
// with. Draws the phase of the panel's individuals and the haplotypes of the study, at all markers, from those that the
// panel has and those that `dosages` tell, which are those of the core of the window. Imputed probabilities become the
// means of what they are and the mean of the draws: two estimates with different errors. Given alleles are kept. Runs
// on all threads; the result does not depend on their number.
void AverageWithJoint(const PanelWindow& window, const WindowStudy& study, uint64_t seed, WindowDosages& dosages);

}  // namespace haplospin
