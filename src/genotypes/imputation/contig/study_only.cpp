#include "genotypes/imputation/contig/study_only.h"

#include <deque>
#include <utility>
#include <vector>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/genomics/sites/panel_alignment.h"
#include "genotypes/imputation/stages/phase_window.h"

namespace haplospin {
namespace {

// Nothing is next to a marker at position 0.
bool IsMapped(const ContigMarker& marker) { return marker.marker.position > 0; }

bool IsToImpute(const ContigMarker& marker) {
  return marker.panel_marker == kNotInPanel && IsMapped(marker) && marker.marker.HasAlt() &&
         marker.genotypes.HasMissing();
}

// The study's markers without those that repeat another one, as a panel without haplotypes.
struct StudySites {
  MutablePanel panel;
  std::vector<uint32_t> marker;  // [study markers] that of the panel, or kRepeatsEarlier
};

StudySites SitesUntil(const ContigBuffer& buffer, int64_t end) {
  const std::deque<ContigMarker>& markers = buffer.markers();
  StudySites sites{MutablePanel(buffer.study_contig(), {}), std::vector<uint32_t>(markers.size(), kRepeatsEarlier)};
  for (size_t s = 0; s < markers.size() && markers[s].marker.position <= end; ++s) {
    if (!IsMapped(markers[s]) || (markers[s].panel_marker != kNotInPanel && !markers[s].IsTyped())) continue;
    sites.marker[s] = static_cast<uint32_t>(sites.panel.num_markers());
    sites.panel.Append(markers[s].marker, nullptr);
  }
  return sites;
}

// Markers of the sites before `phased_end` are phased.
WindowStudy StudyAt(const StudySites& sites, const ContigBuffer& buffer, size_t phased_end) {
  std::vector<WindowStudy::Site> typed;
  for (size_t s = 0; s < sites.marker.size(); ++s) {
    if (IsTyped(sites.marker[s])) typed.push_back({sites.marker[s], &buffer.markers()[s].genotypes});
  }
  return {buffer.samples(), std::move(typed), {0, phased_end}};
}

}  // namespace

std::optional<StudyOnlyDosages> ImputeStudyOnly(const ContigBuffer& buffer, const GeneticMap& map,
                                                const StudyOnlyRange& range, size_t max_markers, uint64_t seed) {
  if (buffer.samples().num_samples() < kMinSamplesOfStudyOnly) return std::nullopt;
  std::vector<size_t> to_impute;
  for (size_t s = buffer.FirstStudyMarker(range.first);
       s < buffer.markers().size() && buffer.markers()[s].marker.position <= range.last; ++s) {
    if (IsToImpute(buffer.markers()[s])) to_impute.push_back(s);
  }
  if (to_impute.empty()) return std::nullopt;
  const StudySites sites = SitesUntil(buffer, range.end);
  if (sites.panel.num_markers() > max_markers) return std::nullopt;
  std::vector<uint32_t> imputed(sites.marker.size(), kNotInPanel);
  for (const size_t s : to_impute) imputed[s] = sites.marker[s];
  const MarkerRange wanted{imputed[to_impute.front()], imputed[to_impute.back()] + size_t{1}};
  const WindowStudy study = StudyAt(sites, buffer, wanted.end);
  const PanelWindow window(sites.panel, map, study.typed(), wanted);
  return StudyOnlyDosages{std::move(imputed),
                          PhaseWindow(window, study, {.source = PhasingSource::kStudy, .seed = seed})};
}

}  // namespace haplospin
