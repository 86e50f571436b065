// What is estimated from the panel of a window before samples copy it.
#pragma once

#include <memory>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/panel_populations.h"
#include "genotypes/imputation/window/panel_window.h"

namespace haplospin {

struct PanelEstimates {
  PanelCopying copying;                                 // how the panel's haplotypes copy each other
  std::shared_ptr<const PanelPopulations> populations;  // of the panel's samples; never null
};

// Estimates how the panel's haplotypes copy each other, by the options of the window.
PanelCopying EstimateCopying(const PanelWindow& window);

// Estimates both from the panel, on all threads; the result does not depend on their number.
PanelEstimates EstimatePanel(const PanelWindow& window);

// Estimates them without a search of its own: the first targets of `selection` must be the haplotypes of `sample`.
PanelEstimates EstimatePanel(const PanelWindow& window, const PanelSample& sample, const StateSelection& selection);

}  // namespace haplospin
