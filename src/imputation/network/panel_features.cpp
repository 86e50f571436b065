#include "imputation/network/panel_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace haplospin {
namespace {

// Of human panels, about.
constexpr double kSwitches = 200, kSwitchesPerGap = 0.01, kMismatchRate = 1e-3, kHaplotypes = 5000;

// Values that differ from the unit by more powers of ten are rare in the training data.
constexpr double kMaxDecades = 2;

float Decades(double value, double unit) {
  const double smallest = std::pow(10, -kMaxDecades);
  return static_cast<float>(std::log10(std::clamp(value / unit, smallest, 1 / smallest)));
}

}  // namespace

PanelFeatures ComputePanelFeatures(const TypedPanel& array, const PanelCopying& copying) {
  PanelFeatures features = {};
  if (copying.last_round.switch_probability.empty()) return features;
  const std::span<const float> gaps = array.morgans();
  const double morgans = std::accumulate(gaps.begin(), gaps.end(), 0.0);  // not 0: no gap is
  features[panel_feature::kLogSwitches] = Decades(copying.switches / morgans, kSwitches);
  features[panel_feature::kLogSwitchesPerGap] =
      Decades(copying.switches / static_cast<double>(gaps.size()), kSwitchesPerGap);
  features[panel_feature::kLogMismatchRate] = Decades(copying.mismatch_rate, kMismatchRate);
  features[panel_feature::kLogHaplotypes] = Decades(static_cast<double>(array.num_haplotypes()), kHaplotypes);
  return features;
}

}  // namespace haplospin
