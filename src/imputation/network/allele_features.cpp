#include "imputation/network/allele_features.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kLogitScale = 1 / kLogitUnit;
constexpr float kCountScale = 0.2f;
constexpr float kDistanceScale = 1.0f / 3;

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

MarkerPlace PlaceOf(const HaplotypePanel& panel, size_t marker, const TypedPanel& array, size_t interval,
                    const GeneticMap& map) {
  const double here = map.Centimorgans(panel.marker(marker).position);
  const auto distance = [&](size_t typed) {
    return std::abs(here - map.Centimorgans(panel.marker(array.typed()[typed]).position));
  };
  const double left = interval > 0 ? distance(interval - 1) : HUGE_VAL;
  const double right = interval < array.num_typed() ? distance(interval) : HUGE_VAL;
  MarkerPlace place{.centimorgans_to_typed = std::min(left, right), .in_interval = 0.5f};
  const size_t anchor = array.anchor_of(interval);
  if (interval != anchor) {
    place.in_interval = interval < anchor ? 0.0f : 1.0f;
  } else if (std::isfinite(left + right) && left + right > 0) {
    place.in_interval = static_cast<float>(left / (left + right));
  }
  return place;
}

}  // namespace haplospin
