// A window, and what the stages of a plan have found in it so far.
#pragma once

#include <memory>
#include <optional>

#include "genotypes/imputation/window/array_window.h"
#include "genotypes/imputation/window/marker_range.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_report.h"
#include "genotypes/imputation/window/window_study.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Panel and study must outlive the state. The results at the wanted markers of the panel, which are a part of `core`,
// are the same whatever is wanted: what a stage draws depends on all markers of the core.
class WindowState {
 public:
  WindowState(const PanelWindow& window, const WindowStudy& window_study, MarkerRange whole)
      : panel(window), study(window_study), core(whole) {}

  // The panel as it is copied: with distances in proportion to how far its haplotypes are shared, and with all markers
  // of the core wanted, once a stage has asked for this.
  const PanelWindow& copied() const { return copied_ ? *copied_ : panel; }

  // Whether haplotypes are shared so far that the distances are not those of the map.
  bool is_scaled() const { return map_ != nullptr; }

  // The markers whose dosages are found: those that are wanted, or all of the core.
  MarkerRange found() const { return copied().wanted(); }

  // Returns the same window with another study, of which nothing is found yet.
  WindowState Of(const WindowStudy& other) const;

  // Multiplies genetic distances; may be called once.
  void Scale(double factor);

  // Makes all markers of the core be found; must be called before any dosages are.
  void FindCore();

  // Leaves the dosages at the wanted markers.
  void KeepWanted();

  const PanelWindow& panel;
  const WindowStudy& study;
  const MarkerRange core;
  std::optional<ArrayWindow> array;  // if the panel is adapted to the study's array, which then tells the estimates
  std::optional<PanelEstimates> estimates;
  std::optional<WindowDosages> dosages;
  WindowReport report;

 private:
  std::shared_ptr<const GeneticMap> map_;
  std::unique_ptr<const PanelWindow> copied_;
};

}  // namespace haplospin
