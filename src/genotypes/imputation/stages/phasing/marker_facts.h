// What the schedule of phasing depends on, measured in the genotypes of a study.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/stages/phasing/phasing_plan.h"
#include "genotypes/imputation/stages/phasing/phasing_rounds.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Measures the typed markers of a window, which are those of the study. `imputes_missing`: whether missing alleles are
// imputed while the samples of the group are phased.
MarkerFacts MeasureMarkers(const PanelWindow& window, const WindowStudy& study, const SampleGroup& group,
                           bool imputes_missing);

// Returns the mean distance of two neighbors among markers of the window's panel, cM; 0 if there are fewer than two.
double MeanGap(const PanelWindow& window, std::span<const uint32_t> markers);

// Returns the places of the typed markers, cM.
std::vector<double> TypedCentimorgans(const PanelWindow& window);

}  // namespace haplospin
