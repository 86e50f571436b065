#include "genotypes/imputation/contig/study_only.h"

#include <deque>
#include <utility>

#include "genotypes/genomics/sites/panel_alignment.h"

namespace haplospin {
namespace {

// Nothing is next to a marker at position 0.
bool IsMapped(const ContigMarker& marker) { return marker.marker.position > 0; }

bool IsToImpute(const ContigMarker& marker) {
  return marker.panel_marker == kNotInPanel && IsMapped(marker) && marker.marker.HasAlt() &&
         marker.genotypes.HasMissing();
}

}  // namespace

// Markers that repeat another one take no part.
StudyOnlyWindow::StudyOnlyWindow(const ContigBuffer& buffer, const GeneticMap& map, int64_t end,
                                 const std::vector<size_t>& to_impute)
    : sites_(buffer.study_contig(), {}), imputed_(buffer.markers().size(), kNotInPanel) {
  const std::deque<ContigMarker>& markers = buffer.markers();
  std::vector<WindowStudy::Site> typed;
  auto next = to_impute.begin();
  for (size_t s = 0; s < markers.size() && markers[s].marker.position <= end; ++s) {
    if (!IsMapped(markers[s]) || (markers[s].panel_marker != kNotInPanel && !markers[s].IsTyped())) continue;
    const auto m = static_cast<uint32_t>(sites_.num_markers());
    sites_.Append(markers[s].marker, nullptr);
    typed.push_back({m, &markers[s].genotypes});
    if (next == to_impute.end() || *next != s) continue;
    imputed_[s] = m;
    ++next;
  }
  const MarkerRange wanted{imputed_[to_impute.front()], imputed_[to_impute.back()] + size_t{1}};
  study_.emplace(buffer.samples(), std::move(typed), MarkerRange{0, wanted.end});
  panel_.emplace(sites_, map, study_->typed(), wanted);
  window_.emplace(*panel_, *study_, wanted);
}

std::unique_ptr<StudyOnlyWindow> FindStudyOnly(const ContigBuffer& buffer, const GeneticMap& map,
                                               const StudyOnlyRange& range, size_t max_markers) {
  if (buffer.samples().num_samples() < kMinSamplesOfStudyOnly) return nullptr;
  std::vector<size_t> to_impute;
  for (size_t s = buffer.FirstStudyMarker(range.first);
       s < buffer.markers().size() && buffer.markers()[s].marker.position <= range.last; ++s) {
    if (IsToImpute(buffer.markers()[s])) to_impute.push_back(s);
  }
  if (to_impute.empty()) return nullptr;
  auto window = std::make_unique<StudyOnlyWindow>(buffer, map, range.end, to_impute);
  return window->num_markers() > max_markers ? nullptr : std::move(window);
}

}  // namespace haplospin
