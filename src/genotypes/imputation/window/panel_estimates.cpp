#include "genotypes/imputation/window/panel_estimates.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

PanelCopying EstimateCopying(const PanelWindow& window) {
  const CopyingOptions& options = window.options();
  if (options.min_frequency == 0) return EstimatePanelCopying(window.typed_panel(), options);
  const std::vector<uint32_t> frequent = FrequentAmong(window.panel(), window.typed_markers(), options.min_frequency);
  std::vector<uint32_t> markers;  // of the panel
  for (const uint32_t j : frequent) markers.push_back(window.typed_markers()[j]);
  PanelCopying copying = EstimatePanelCopying(TypedPanel(window.panel(), std::move(markers), window.map()), options);
  SpreadSwitches(frequent, window.typed_panel().morgans(), copying);
  return copying;
}

PanelEstimates EstimatePanel(const PanelWindow& window) {
  return {.copying = EstimateCopying(window), .populations = std::make_shared<const PanelPopulations>(window.panel())};
}

PanelEstimates EstimatePanel(const PanelWindow& window, const PanelSample& sample, const StateSelection& selection) {
  return {.copying = EstimatePanelCopying(window.typed_panel(), sample, selection, window.options()),
          .populations = std::make_shared<const PanelPopulations>(window.panel())};
}

}  // namespace haplospin
