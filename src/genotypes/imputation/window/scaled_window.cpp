#include "genotypes/imputation/window/scaled_window.h"

#include <algorithm>
#include <numeric>
#include <span>

namespace haplospin {
namespace {

// Four public panels of people switch 130 to 260 times per Morgan, four of animals and plants 2 to 6 times.
constexpr double kSwitchesOfPeople = 40;
constexpr double kMinScale = 0.02;

}  // namespace

double DistanceScale(double switches_per_morgan) {
  return std::clamp(switches_per_morgan / kSwitchesOfPeople, kMinScale, 1.0);
}

ScaledWindow::ScaledWindow(const PanelWindow& window, const std::optional<PanelEstimates>& adapted)
    : window_(window), estimates_(adapted ? *adapted : EstimatePanel(window)) {
  if (estimates_.copying.last_round.switch_probability.empty()) return;  // too few haplotypes to tell
  const std::span<const float> gaps = window.typed_panel().morgans();
  const double morgans = std::accumulate(gaps.begin(), gaps.end(), 0.0);
  const double scale = DistanceScale(estimates_.copying.switches / morgans);
  if (scale == 1) return;
  map_ = window.map().Scaled(scale);
  scaled_.emplace(window, *map_);
  if (!adapted) estimates_.copying = EstimateCopying(*scaled_);
}

}  // namespace haplospin
