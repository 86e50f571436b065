#include "genotypes/genomics/sites/reference_sites.h"

#include <algorithm>
#include <vector>

#include "genotypes/genomics/sites/site_relation.h"
#include "genotypes/genomics/sites/variant.h"

namespace haplospin {
namespace {

// The SNVs of the panel at the position, and with the REF, of a marker.
std::vector<const Marker*> SnvsAt(const Marker& marker, const HaplotypePanel& panel) {
  std::vector<const Marker*> snvs;
  for (size_t p = FirstMarkerAtOrAfter(panel, marker.position);
       p < panel.num_markers() && panel.marker(p).position == marker.position; ++p) {
    if (IsSnv(panel.marker(p)) && SameBases(panel.marker(p).ref, marker.ref)) snvs.push_back(&panel.marker(p));
  }
  return snvs;
}

}  // namespace

void AddReferenceSites(StudyGenotypes& study, const HaplotypePanel& panel) {
  std::vector<StudyMarker>& markers = study.markers;
  const auto position = [](const StudyMarker& study_marker) { return study_marker.marker.position; };
  for (size_t s = 0; s < markers.size(); ++s) {
    const Marker& marker = markers[s].marker;
    if (marker.HasAlt()) continue;
    const std::vector<const Marker*> snvs = SnvsAt(marker, panel);
    const auto at_position = std::ranges::equal_range(markers, marker.position, {}, position);
    std::vector<StudyMarker> added;
    for (size_t k = 1; k < snvs.size(); ++k) {
      const auto is_snv = [&](const StudyMarker& own) { return SameVariant(own.marker, *snvs[k]); };
      if (std::ranges::any_of(at_position, is_snv)) continue;
      added.push_back(markers[s]);
      added.back().marker.alt = snvs[k]->alt;
    }
    markers.insert(markers.begin() + static_cast<std::ptrdiff_t>(s) + 1, added.begin(), added.end());
    s += added.size();
  }
}

}  // namespace haplospin
