#include "genotypes/imputation/window/panel_estimates.h"

namespace haplospin {

PanelEstimates EstimatePanel(const PanelWindow& window) {
  return {.copying = EstimatePanelCopying(window.typed_panel(), window.options()),
          .populations = std::make_shared<const PanelPopulations>(window.panel())};
}

PanelEstimates EstimatePanel(const PanelWindow& window, const PanelSample& sample, const StateSelection& selection) {
  return {.copying = EstimatePanelCopying(window.typed_panel(), sample, selection, window.options()),
          .populations = std::make_shared<const PanelPopulations>(window.panel())};
}

}  // namespace haplospin
