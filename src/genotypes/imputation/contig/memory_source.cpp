#include "genotypes/imputation/contig/memory_source.h"

#include <algorithm>

namespace haplospin {

std::optional<int64_t> MemoryPanel::NextPosition() {
  return next_ < panel_.num_markers() ? std::optional(panel_.marker(next_).position) : std::nullopt;
}

std::optional<int64_t> MemoryPanel::LastPosition() {
  return panel_.num_markers() > 0 ? std::optional(panel_.marker(panel_.num_markers() - 1).position) : std::nullopt;
}

bool MemoryPanel::ReadUntil(int64_t position, MutablePanel& panel) {
  for (; next_ < panel_.num_markers() && panel_.marker(next_).position <= position; ++next_) {
    panel.AppendFrom(panel_, next_);
  }
  return next_ < panel_.num_markers();
}

std::optional<int64_t> MemoryStudy::NextPosition() {
  return next_ < study_.markers.size() ? std::optional(study_.markers[next_].marker.position) : std::nullopt;
}

StudyGenotypes MemoryStudy::StartContig() {
  return {.contig = study_.contig, .samples = study_.samples, .ref_is_unknown = study_.ref_is_unknown};
}

bool MemoryStudy::ReadUntil(int64_t position, StudyGenotypes& study) {
  for (; next_ < study_.markers.size() && study_.markers[next_].marker.position <= position; ++next_) {
    study.markers.push_back(study_.markers[next_]);
  }
  return next_ < study_.markers.size();
}

void MemoryStudy::Seek(const Region& region) {
  const auto position = [](const StudyMarker& study_marker) { return study_marker.marker.position; };
  const auto first = std::ranges::lower_bound(study_.markers, region.begin, {}, position);
  next_ = static_cast<size_t>(first - study_.markers.begin());
}

}  // namespace haplospin
