#include "genotypes/genomics/sites/reference_sites.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "genotypes/genomics/sites/allele_relation.h"
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

// Adds a copy of row s of a table after it; an empty table stays empty.
template <typename Row>
void RepeatRow(std::vector<Row>& table, size_t s) {
  if (!table.empty()) table.insert(table.begin() + static_cast<std::ptrdiff_t>(s) + 1, Row(table[s]));
}

void RepeatMarker(StudyGenotypes& study, size_t s, const std::string& alt) {
  RepeatRow(study.markers, s);
  study.markers[s + 1].alt = alt;
  RepeatRow(study.alleles, s);
  RepeatRow(study.unphased, s);
  RepeatRow(study.phase_sets, s);
  RepeatRow(study.likelihoods, s);
}

}  // namespace

void AddReferenceSites(StudyGenotypes& study, size_t first, const HaplotypePanel& panel) {
  for (size_t s = first; s < study.markers.size(); ++s) {
    if (study.markers[s].HasAlt()) continue;
    const std::vector<const Marker*> snvs = SnvsAt(study.markers[s], panel);
    const auto at_position = std::ranges::equal_range(std::span(study.markers).subspan(first),
                                                      study.markers[s].position, {}, &Marker::position);
    const std::vector<Marker> own(at_position.begin(), at_position.end());
    size_t num_added = 0;
    for (size_t k = snvs.size(); k-- > 1;) {  // each copy comes before those added so far
      if (std::ranges::any_of(own, [&](const Marker& marker) { return SameVariant(marker, *snvs[k]); })) continue;
      RepeatMarker(study, s, snvs[k]->alt);
      ++num_added;
    }
    s += num_added;
  }
}

}  // namespace haplospin
