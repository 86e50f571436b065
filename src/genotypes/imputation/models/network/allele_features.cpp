#include "genotypes/imputation/models/network/allele_features.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace haplospin {
namespace {

constexpr float kLogitScale = 1 / kLogitUnit;
constexpr float kCountScale = 0.2f;
constexpr float kDistanceScale = 1.0f / 3;

// Typical values of human panels.
constexpr double kSwitches = 200, kSwitchesPerGap = 0.01, kMismatchRate = 1e-3, kHaplotypes = 5000;

// Larger differences from the typical values, in powers of ten, are rare in the training data.
constexpr double kMaxDecades = 2;

float Decades(double value, double unit) {
  const double smallest = std::pow(10, -kMaxDecades);
  return static_cast<float>(std::log10(std::clamp(value / unit, smallest, 1 / smallest)));
}

}  // namespace

MarkerFeatures ComputeMarkerFeatures(size_t carriers, size_t haplotypes, const MarkerPlace& place) {
  const auto count = static_cast<float>(carriers);
  const auto total = static_cast<float>(haplotypes);
  MarkerFeatures features;
  features.minor_frequency = count / total;
  const float bounded = std::clamp(features.minor_frequency, kMinAlleleProbability, 1 - kMinAlleleProbability);
  features.logit_frequency = std::log(bounded / (1 - bounded)) * kLogitScale;
  features.log_carriers = std::log1p(count) * kCountScale;
  features.log_non_carriers = std::log1p(total - count) * kCountScale;
  features.log_distance = std::log(static_cast<float>(place.centimorgans_to_typed) + kMinCentimorgans) * kDistanceScale;
  features.in_interval = place.in_interval;
  return features;
}

MarkerPlace FindPlace(const HaplotypePanel& panel, size_t marker, const TypedPanel& typed_panel, size_t interval,
                      const GeneticMap& map) {
  const double here = map.Centimorgans(panel.marker(marker).position);
  const auto distance = [&](size_t typed) {
    return std::abs(here - map.Centimorgans(panel.marker(typed_panel.typed()[typed]).position));
  };
  const double left = interval > 0 ? distance(interval - 1) : HUGE_VAL;
  const double right = interval < typed_panel.num_typed() ? distance(interval) : HUGE_VAL;
  MarkerPlace place{.centimorgans_to_typed = std::min(left, right), .in_interval = 0.5f};
  const size_t anchor = typed_panel.anchor_of(interval);
  if (interval != anchor) {
    place.in_interval = interval < anchor ? 0.0f : 1.0f;
  } else if (std::isfinite(left + right) && left + right > 0) {
    place.in_interval = static_cast<float>(left / (left + right));
  }
  return place;
}

PanelFeatures ComputePanelFeatures(const TypedPanel& panel, const PanelCopying& copying) {
  PanelFeatures features = {};
  if (copying.last_round.switch_probability.empty()) return features;
  const std::span<const float> gaps = panel.morgans();
  const double morgans = std::accumulate(gaps.begin(), gaps.end(), 0.0);  // above 0, as every gap is
  features[panel_feature::kLogSwitches] = Decades(copying.switches / morgans, kSwitches);
  features[panel_feature::kLogSwitchesPerGap] =
      Decades(copying.switches / static_cast<double>(gaps.size()), kSwitchesPerGap);
  features[panel_feature::kLogMismatchRate] = Decades(copying.mismatch_rate, kMismatchRate);
  features[panel_feature::kLogHaplotypes] = Decades(static_cast<double>(panel.num_haplotypes()), kHaplotypes);
  return features;
}

}  // namespace haplospin
