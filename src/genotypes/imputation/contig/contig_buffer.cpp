#include "genotypes/imputation/contig/contig_buffer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "genotypes/genomics/sites/reference_sites.h"
#include "genotypes/genomics/sites/split_sites.h"
#include "genotypes/variant_io/reading/common_marker_groups.h"
#include "genotypes/variant_io/reading/pieces.h"

namespace haplospin {

namespace {

// Families know the samples by their numbers in the study, of which Y lacks the females and W the males.
bool HasAllSamples(const StudyGenotypes& study, const TransmissionPhaser* families) {
  return families != nullptr && families->num_samples() == study.samples.num_samples();
}

}  // namespace

ContigBuffer::ContigBuffer(PanelMarkerSource& panel_source, StudyMarkerSource& study_source,
                           TransmissionPhaser* families)
    : panel_source_(panel_source),
      study_source_(study_source),
      panel_(panel_source.StartContig()),
      piece_(study_source.StartContig()),
      untyped_(MissingRow(piece_.samples)),
      phase_(piece_.samples.num_samples(), HasAllSamples(piece_, families) ? families : nullptr) {
  overlap_.panel.first = overlap_.panel.last = panel_source.NextPosition().value();
}

// Reads in pieces, so that memory never holds the bits of many common markers.
void ContigBuffer::ReadUntil(int64_t position) {
  for (bool is_last = false; !is_last;) {
    const std::optional<int64_t> next = panel_ended_ ? std::nullopt : panel_source_.NextPosition();
    const int64_t end = EndOfPiece(next, position);
    ReadPiece(end);
    is_last = end == position;
    GroupHaplotypes(is_last);
  }
  read_until_ = std::max(read_until_, position);
}

void ContigBuffer::ReadPiece(int64_t position) {
  const size_t first_panel = panel_.num_markers();
  study_ended_ = !study_source_.ReadUntil(position, piece_);
  // A variant of the study may begin after its record.
  const int64_t panel_position = std::max(position, LastPosition(piece_.markers));
  if (!panel_ended_) panel_ended_ = !panel_source_.ReadUntil(panel_position, panel_);
  AddReferenceSites(piece_, panel_);
  CompleteSplitSites(piece_.samples, piece_.markers);
  for (size_t s = 0; s < piece_.markers.size(); ++s) phase_.Read(piece_, s);
  const PanelAlignment alignment = AlignToPanel(piece_, panel_, PanelMarkers(), first_panel);
  UsePanelAlleles(alignment, panel_, piece_);
  counts_ += alignment.counts;
  for (size_t m = first_panel; m < panel_.num_markers(); ++m) {
    const int64_t position_before = std::exchange(overlap_.panel.last, panel_.marker(m).position);
    overlap_.covered += CoveredBetween(position_before, overlap_.panel.last);
  }
  for (size_t s = 0; s < piece_.markers.size(); ++s) {
    markers_.push_back({std::move(piece_.markers[s]), alignment.panel_marker[s]});
    NoteOverlap(markers_.back());
    if (const uint32_t m = markers_.back().panel_marker; IsTyped(m)) {
      phase_.ComparePanel(piece_.samples, piece_.contig, markers_.back().genotypes, panel_, m);
    }
  }
  piece_.markers.clear();
}

void ContigBuffer::GroupHaplotypes(bool is_last) {
  if (!GroupCommonMarkers(panel_, is_last)) return;
  std::vector<uint32_t> typed;
  std::ranges::copy_if(PanelMarkers(), std::back_inserter(typed), IsTyped);
  std::ranges::sort(typed);
  panel_.KeepBits(typed);
}

// Adds a study marker that was just read to the overlap.
void ContigBuffer::NoteOverlap(const ContigMarker& marker) {
  const int64_t position = marker.marker.position;
  if (position < overlap_.panel.first || (panel_ended_ && position > overlap_.panel.last)) return;
  ++overlap_.study_sites;
  if (!marker.IsTyped()) return;
  const std::vector<uint8_t>& alleles = marker.genotypes.alleles;
  const std::vector<GenotypeLikelihoods>& likelihoods = marker.genotypes.likelihoods;
  // Genotypes that are certain by their likelihoods are not a fair sample of all.
  if (likelihoods.empty())
    signs_.Add(samples(), alleles, panel_.num_haplotypes() > 0 ? &panel_ : nullptr, marker.panel_marker);
  if (overlap_.typed++ == 0) overlap_.typed_span.first = position;
  overlap_.typed_span.last = position;
  const bool has_alleles = std::ranges::count(alleles, kMissingAllele) < static_cast<std::ptrdiff_t>(alleles.size()) ||
                           !std::ranges::all_of(likelihoods, &GenotypeLikelihoods::IsFlat);
  overlap_.has_alleles = overlap_.has_alleles || has_alleles;
  if (!has_alleles && overlap_.empty++ == 0) overlap_.first_empty = position;
}

std::vector<uint32_t> ContigBuffer::PanelMarkers() const {
  std::vector<uint32_t> markers;
  markers.reserve(markers_.size());
  for (const ContigMarker& marker : markers_) markers.push_back(marker.panel_marker);
  return markers;
}

void ContigBuffer::Seek(int64_t position) {
  panel_source_.Seek({panel_.contig(), position, INT64_MAX});
  study_source_.Seek({piece_.contig, position, INT64_MAX});
}

void ContigBuffer::DropBefore(int64_t position) {
  const size_t drop_panel = FirstMarkerAtOrAfter(panel_, position);
  panel_.DropBefore(drop_panel);
  markers_.erase(markers_.begin(), markers_.begin() + static_cast<std::ptrdiff_t>(FirstStudyMarker(position)));
  // The record of a variant may be before the position in the panel alone.
  for (ContigMarker& marker : markers_) {
    uint32_t& m = marker.panel_marker;
    if (marker.IsTyped()) m = m < drop_panel ? kRepeatsEarlier : m - static_cast<uint32_t>(drop_panel);
  }
}

size_t ContigBuffer::FirstStudyMarker(int64_t position) const {
  const auto marker_position = [](const ContigMarker& marker) { return marker.marker.position; };
  return static_cast<size_t>(std::ranges::lower_bound(markers_, position, {}, marker_position) - markers_.begin());
}

MarkerRange ContigBuffer::Markers(int64_t first, int64_t last) const {
  const size_t begin = FirstMarkerAtOrAfter(panel_, first);
  const size_t end = last == INT64_MAX ? panel_.num_markers() : FirstMarkerAtOrAfter(panel_, last + 1);
  return {begin, std::max(begin, end)};
}

size_t ContigBuffer::NumTyped() const {
  return static_cast<size_t>(std::ranges::count_if(markers_, &ContigMarker::IsTyped));
}

size_t ContigBuffer::NumTyped(int64_t first, int64_t last) const {
  return static_cast<size_t>(std::ranges::count_if(markers_, [&](const ContigMarker& marker) {
    return marker.IsTyped() && first <= marker.marker.position && marker.marker.position <= last;
  }));
}

int64_t ContigBuffer::PositionOfTypedBefore(int64_t position, size_t count) const {
  int64_t found = position;
  for (size_t s = FirstStudyMarker(position); s > 0 && count > 0; --s) {
    const ContigMarker& marker = markers_[s - 1];
    if (!marker.IsTyped()) continue;
    found = marker.marker.position;
    --count;
  }
  return found;
}

WindowStudy ContigBuffer::Typed(int64_t last, size_t min_typed, int64_t phased_from, int64_t phased_until,
                                WindowStudy::Progress on_progress) const {
  std::vector<WindowStudy::Site> sites;
  for (const ContigMarker& marker : markers_) {
    if (marker.marker.position > last && sites.size() >= min_typed) break;
    if (marker.IsTyped()) sites.push_back({marker.panel_marker, &marker.genotypes});
  }
  const Pedigree* families = phase_.families() != nullptr ? &phase_.families()->pedigree() : nullptr;
  return {samples(), std::move(sites), Markers(phased_from, phased_until), std::move(on_progress), families};
}

}  // namespace haplospin
