#include "genotypes/imputation/run/contig_buffer.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "genotypes/genomics/sites/reference_sites.h"
#include "genotypes/variant_io/reading/common_marker_groups.h"
#include "genotypes/variant_io/reading/pieces.h"

namespace haplospin {

ContigBuffer::ContigBuffer(PanelMarkerSource& panel_source, StudyMarkerSource& study_source,
                           TransmissionPhaser* families)
    : panel_source_(panel_source),
      study_source_(study_source),
      panel_(panel_source.StartContig()),
      study_(study_source.StartContig()),
      phase_(study_.samples.num_samples(), families) {
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
  const size_t first_study = study_.markers.size();
  study_ended_ = !study_source_.ReadUntil(position, study_);
  // A variant of the study may begin after its record.
  const int64_t panel_position = std::max(position, LastPosition(study_.markers, first_study));
  if (!panel_ended_) panel_ended_ = !panel_source_.ReadUntil(panel_position, panel_);
  AddReferenceSites(study_, first_study, panel_);
  for (size_t s = first_study; s < study_.markers.size(); ++s) phase_.Read(study_, s);
  const PanelAlignment alignment = AlignToPanel(study_, panel_, panel_marker_, first_panel);
  UsePanelAlleles(alignment, study_);
  counts_ += alignment.counts;
  panel_marker_.insert(panel_marker_.end(), alignment.panel_marker.begin(), alignment.panel_marker.end());
  for (size_t m = first_panel; m < panel_.num_markers(); ++m) {
    const int64_t position_before = std::exchange(overlap_.panel.last, panel_.marker(m).position);
    overlap_.covered += CoveredBetween(position_before, overlap_.panel.last);
  }
  NoteOverlap(first_study);
}

void ContigBuffer::GroupHaplotypes(bool is_last) {
  if (!GroupCommonMarkers(panel_, is_last)) return;
  std::vector<uint32_t> typed;
  std::ranges::copy_if(panel_marker_, std::back_inserter(typed), IsTyped);
  std::ranges::sort(typed);
  panel_.KeepBits(typed);
}

// Adds the study markers from `first_study` on, which were just read, to the overlap.
void ContigBuffer::NoteOverlap(size_t first_study) {
  for (size_t s = first_study; s < study_.markers.size(); ++s) {
    const int64_t position = study_.markers[s].position;
    if (position < overlap_.panel.first || (panel_ended_ && position > overlap_.panel.last)) continue;
    ++overlap_.study_sites;
    if (!IsTyped(panel_marker_[s])) continue;
    // Genotypes that are certain by their likelihoods are not a fair sample of all.
    if (study_.likelihoods[s].empty())
      signs_.Add(study_.samples, study_.alleles[s], panel_.num_haplotypes() > 0 ? &panel_ : nullptr, panel_marker_[s]);
    if (overlap_.typed++ == 0) overlap_.typed_span.first = position;
    overlap_.typed_span.last = position;
    const bool has_alleles =
        std::ranges::count(study_.alleles[s], kMissingAllele) < static_cast<std::ptrdiff_t>(study_.alleles[s].size()) ||
        !std::ranges::all_of(study_.likelihoods[s], &GenotypeLikelihoods::IsFlat);
    overlap_.has_alleles = overlap_.has_alleles || has_alleles;
    if (!has_alleles && overlap_.empty++ == 0) overlap_.first_empty = position;
  }
}

void ContigBuffer::Seek(int64_t position) {
  panel_source_.Seek({panel_.contig(), position, INT64_MAX});
  study_source_.Seek({study_.contig, position, INT64_MAX});
}

void ContigBuffer::DropBefore(int64_t position) {
  const size_t drop_panel = FirstMarkerAtOrAfter(panel_, position);
  panel_.DropBefore(drop_panel);
  const auto kept = std::ranges::lower_bound(study_.markers, position, {}, &Marker::position);
  const auto drop_study = kept - study_.markers.begin();
  phase_.DropFirst(static_cast<size_t>(drop_study));
  study_.markers.erase(study_.markers.begin(), kept);
  study_.alleles.erase(study_.alleles.begin(), study_.alleles.begin() + drop_study);
  study_.unphased.erase(study_.unphased.begin(), study_.unphased.begin() + drop_study);
  study_.phase_sets.erase(study_.phase_sets.begin(), study_.phase_sets.begin() + drop_study);
  study_.likelihoods.erase(study_.likelihoods.begin(), study_.likelihoods.begin() + drop_study);
  panel_marker_.erase(panel_marker_.begin(), panel_marker_.begin() + drop_study);
  // The record of a variant may be before the position in the panel alone.
  for (uint32_t& m : panel_marker_) {
    if (IsTyped(m)) m = m < drop_panel ? kRepeatsEarlier : m - static_cast<uint32_t>(drop_panel);
  }
}

MarkerRange ContigBuffer::Markers(int64_t first, int64_t last) const {
  const size_t begin = FirstMarkerAtOrAfter(panel_, first);
  const size_t end = last == INT64_MAX ? panel_.num_markers() : FirstMarkerAtOrAfter(panel_, last + 1);
  return {begin, std::max(begin, end)};
}

size_t ContigBuffer::NumTyped() const { return static_cast<size_t>(std::ranges::count_if(panel_marker_, IsTyped)); }

size_t ContigBuffer::NumTyped(int64_t first, int64_t last) const {
  size_t count = 0;
  for (size_t s = 0; s < panel_marker_.size(); ++s) {
    const int64_t position = study_.markers[s].position;
    count += IsTyped(panel_marker_[s]) && first <= position && position <= last;
  }
  return count;
}

int64_t ContigBuffer::PositionOfTypedBefore(int64_t position, size_t count) const {
  int64_t found = position;
  const auto end = std::ranges::lower_bound(study_.markers, position, {}, &Marker::position);
  for (auto s = static_cast<size_t>(end - study_.markers.begin()); s > 0 && count > 0; --s) {
    if (!IsTyped(panel_marker_[s - 1])) continue;
    found = study_.markers[s - 1].position;
    --count;
  }
  return found;
}

WindowStudy ContigBuffer::Typed(int64_t last, size_t min_typed, int64_t phased_from, int64_t phased_until) const {
  size_t end = 0;
  for (size_t typed = 0; end < study_.markers.size(); ++end) {
    if (study_.markers[end].position > last && typed >= min_typed) break;
    typed += IsTyped(panel_marker_[end]);
  }
  WindowStudy window = TypedSites(study_.samples, {panel_marker_.data(), end}, [this](size_t s) { return Row(s); });
  const auto before = [&](int64_t position) {
    return static_cast<size_t>(
        std::ranges::lower_bound(window.typed, position, {}, [&](uint32_t m) { return panel_.marker(m).position; }) -
        window.typed.begin());
  };
  window.phased = {before(phased_from), before(std::max(phased_from, phased_until + 1))};
  return window;
}

}  // namespace haplospin
