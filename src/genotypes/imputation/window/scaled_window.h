// A window whose genetic distances are in proportion to how far its panel's haplotypes are shared.
#pragma once

#include <optional>

#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// Returns the factor of genetic distances for a panel whose haplotypes switch `switches_per_morgan` times. It is 1 for
// panels of people, which switch 100 times and more. The network and the constants of copying know distances from such
// panels; in a herd, a cross or lines, haplotypes are shared over tens of cM, where the same evidence is further away.
double DistanceScale(double switches_per_morgan);

class ScaledWindow {
 public:
  // Estimates what is to be known of the panel, unless it was `adapted`. The window must outlive the object.
  explicit ScaledWindow(const PanelWindow& window, const std::optional<PanelEstimates>& adapted = {});

  // Whether haplotypes are shared so far that distances are not those of the map.
  bool is_scaled() const { return scaled_.has_value(); }

  // The window itself, or the same with a scaled map.
  const PanelWindow& window() const { return scaled_ ? *scaled_ : window_; }
  const PanelEstimates& estimates() const { return estimates_; }

 private:
  const PanelWindow& window_;
  PanelEstimates estimates_;
  std::optional<GeneticMap> map_;
  std::optional<PanelWindow> scaled_;
};

}  // namespace haplospin
