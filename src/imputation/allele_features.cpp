#include "haplospin/imputation/allele_features.h"

#include <algorithm>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kLogitScale = 1.0f / 3;
constexpr float kCountScale = 0.2f;
constexpr float kDistanceScale = 1.0f / 3;
constexpr float kLeastCentimorgans = 1e-3f;

}  // namespace

MarkerFeatures ComputeMarkerFeatures(const HaplotypePanel& panel, size_t marker, const ArrayPanel& array,
                                     size_t interval, const GeneticMap& map) {
  const size_t n = panel.num_haplotypes();
  const size_t alt = panel.alt_count(marker);
  const auto carriers = static_cast<float>(std::min(alt, n - alt));
  const auto total = static_cast<float>(n);
  MarkerFeatures features;
  features.minor_frequency = carriers / total;
  const float bounded = std::clamp(features.minor_frequency, kLeastAlleleProbability, 1 - kLeastAlleleProbability);
  features.logit_frequency = std::log(bounded / (1 - bounded)) * kLogitScale;
  features.log_carriers = std::log1p(carriers) * kCountScale;
  features.log_non_carriers = std::log1p(total - carriers) * kCountScale;
  const double here = map.Centimorgans(panel.marker(marker).position);
  const auto distance = [&](size_t typed) {
    return std::abs(here - map.Centimorgans(panel.marker(array.typed()[typed]).position));
  };
  double nearest = HUGE_VAL;
  if (interval > 0) nearest = distance(interval - 1);
  if (interval < array.num_typed()) nearest = std::min(nearest, distance(interval));
  features.log_distance = std::log(static_cast<float>(nearest) + kLeastCentimorgans) * kDistanceScale;
  return features;
}

}  // namespace haplospin
