#include "imputation/job/phase_merger.h"

#include <algorithm>
#include <span>
#include <utility>

#include "genomics/sites/panel_alignment.h"

namespace haplospin {

PhaseMerger::PhaseMerger(std::string contig, int64_t begin, GenotypeWriter& writer)
    : contig_(std::move(contig)), writer_(writer), next_(begin) {}

void PhaseMerger::Write(const ContigBuffer& buffer, const WindowDosages& dosages, int64_t last) {
  const StudyGenotypes& study = buffer.study();
  ColumnReader columns(dosages.alt);
  const auto first = std::ranges::lower_bound(study.markers, next_, {}, &Marker::position);
  for (auto s = static_cast<size_t>(first - study.markers.begin());
       s < study.markers.size() && study.markers[s].position <= last; ++s) {
    WriteMarker(buffer, s, dosages.range.begin, columns);
  }
  next_ = last == INT64_MAX ? last : std::max(next_, last + 1);
}

void PhaseMerger::WriteMarker(const ContigBuffer& buffer, size_t s, size_t first_marker, ColumnReader& columns) {
  const StudyGenotypes& study = buffer.study();
  const uint32_t m = buffer.panel_marker()[s];
  const StudyRow row = buffer.Row(s);
  if (!IsTyped(m)) {
    ++counts_.not_in_panel;
    writer_.Write(contig_, study.markers[s], study.samples, *row.alleles, *row.unphased);
    return;
  }
  ++counts_.typed;
  alleles_ = *row.alleles;
  if (std::ranges::find(alleles_, kMissingAllele) != alleles_.end()) {
    const std::span<const float> alt = columns.At(m - first_marker);
    for (size_t h = 0; h < alleles_.size(); ++h) {
      if (alleles_[h] == kMissingAllele) alleles_[h] = alt[h] > 0.5f ? 1 : 0;
    }
  }
  writer_.Write(contig_, study.markers[s], study.samples, alleles_);
}

}  // namespace haplospin
