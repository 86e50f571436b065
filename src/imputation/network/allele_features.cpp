#include "imputation/network/allele_features.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kLogitScale = 1 / kLogitUnit;
constexpr float kCountScale = 0.2f;
constexpr float kDistanceScale = 1.0f / 3;

}  // namespace

MarkerFeatures ComputeMarkerFeatures(size_t carriers, size_t haplotypes, double centimorgans_to_typed) {
  const auto count = static_cast<float>(carriers);
  const auto total = static_cast<float>(haplotypes);
  MarkerFeatures features;
  features.minor_frequency = count / total;
  const float bounded = std::clamp(features.minor_frequency, kMinAlleleProbability, 1 - kMinAlleleProbability);
  features.logit_frequency = std::log(bounded / (1 - bounded)) * kLogitScale;
  features.log_carriers = std::log1p(count) * kCountScale;
  features.log_non_carriers = std::log1p(total - count) * kCountScale;
  features.log_distance = std::log(static_cast<float>(centimorgans_to_typed) + kMinCentimorgans) * kDistanceScale;
  return features;
}

double CentimorgansToTyped(const HaplotypePanel& panel, size_t marker, const TypedPanel& array, size_t interval,
                           const GeneticMap& map) {
  const double here = map.Centimorgans(panel.marker(marker).position);
  const auto distance = [&](size_t typed) {
    return std::abs(here - map.Centimorgans(panel.marker(array.typed()[typed]).position));
  };
  double nearest = HUGE_VAL;
  if (interval > 0) nearest = distance(interval - 1);
  if (interval < array.num_typed()) nearest = std::min(nearest, distance(interval));
  return nearest;
}

}  // namespace haplospin
