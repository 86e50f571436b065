#include "genotypes/imputation/adapt/population_markers.h"

#include <utility>

namespace haplospin {

void PopulationMarkers::Add(const HaplotypePanel& panel, MarkerRange markers) {
  for (size_t m = markers.begin; m < markers.end; ++m) {
    if (PanelPopulations::UsesMarker(panel, m) && num_seen_++ % step_ == 0) Append(panel, m);
  }
}

void PopulationMarkers::Append(const HaplotypePanel& panel, size_t marker) {
  if (kept_.num_markers() == PanelPopulations::kMaxMarkers) {
    KeepEverySecond();
    if ((num_seen_ - 1) % step_ != 0) return;
  }
  kept_.AppendFrom(panel, marker);
}

void PopulationMarkers::KeepEverySecond() {
  const MutablePanel all = std::exchange(kept_, MutablePanel(kept_.contig(), kept_.samples()));
  step_ *= 2;
  for (size_t m = 0; m < all.num_markers(); m += 2) Append(all, m);
}

}  // namespace haplospin
