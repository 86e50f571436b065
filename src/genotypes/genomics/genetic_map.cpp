#include "haplospin/genetic_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "haplospin/errors.h"

namespace haplospin {

GeneticMap::GeneticMap(std::vector<int64_t> positions, std::vector<double> centimorgans)
    : positions_(std::move(positions)), centimorgans_(std::move(centimorgans)) {
  if (positions_.empty() || positions_.size() != centimorgans_.size()) {
    throw InputError(fmt::format("genetic map of {} positions and {} values in cM; give one or more of each",
                                 positions_.size(), centimorgans_.size()));
  }
  for (size_t i = 1; i < positions_.size(); ++i) {
    if (positions_[i - 1] < positions_[i] && centimorgans_[i - 1] <= centimorgans_[i]) continue;
    throw InputError(fmt::format("genetic map: {} bp, {} cM comes after {} bp, {} cM; sort the map by position",
                                 positions_[i], centimorgans_[i], positions_[i - 1], centimorgans_[i - 1]));
  }
}

GeneticMap GeneticMap::Uniform() { return GeneticMap({0}, {0}); }

GeneticMap GeneticMap::Scaled(double factor) const {
  GeneticMap scaled = *this;
  scaled.rate_beyond_ *= factor;
  for (double& centimorgans : scaled.centimorgans_) centimorgans *= factor;
  return scaled;
}

double GeneticMap::Centimorgans(int64_t position) const {
  const auto after = std::ranges::upper_bound(positions_, position);
  if (after == positions_.begin()) {
    return centimorgans_.front() - rate_beyond_ * static_cast<double>(positions_.front() - position);
  }
  const auto i = static_cast<size_t>(after - positions_.begin()) - 1;
  const auto distance = static_cast<double>(position - positions_[i]);
  if (after == positions_.end()) return centimorgans_[i] + rate_beyond_ * distance;
  const auto gap = static_cast<double>(positions_[i + 1] - positions_[i]);
  return centimorgans_[i] + (centimorgans_[i + 1] - centimorgans_[i]) * (distance / gap);
}

}  // namespace haplospin
