#include "imputation/contig_imputer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/log.h"
#include "haplospin/errors.h"
#include "variant_io/genetic_map_file.h"

namespace haplospin {
namespace {

constexpr size_t kMinTyped = 2;   // in a window; fewer are made up for by neighbouring sites
constexpr size_t kKeptTyped = 8;  // that stay in memory for a next window with few of its own
constexpr size_t kRecordsAtATime = 512;

bool IsMatched(uint32_t panel_marker) { return panel_marker < kRepeatsEarlier; }

GeneticMap MapOf(const ImputeJob& job, const std::string& contig) {
  return job.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(job.map, contig);
}

}  // namespace

ContigImputer::ContigImputer(const ImputeJob& job, const WindowModel& model, PanelReader& panel_reader,
                             StudyReader& study_reader, std::string output_contig, DosageWriter& writer)
    : job_(job),
      model_(model),
      panel_reader_(panel_reader),
      study_reader_(study_reader),
      output_contig_(std::move(output_contig)),
      writer_(writer),
      map_(MapOf(job, output_contig_)),
      panel_(panel_reader.StartContig()),
      study_(study_reader.StartContig()) {
  counts_.samples = study_.samples.num_samples();
}

void ContigImputer::Run(Progress& progress) {
  writer_.SetPloidy(study_.samples);
  Window window = FirstOfRegion();
  for (;;) {
    ReadUntil(window.end_bp);
    ReadTyped(window);
    if (panel_ended_) window.core_end_bp = window.end_bp = INT64_MAX;  // the rest is no more than the overlap
    ShortenToMemory(window);
    ImputeAndWrite(window);
    if (window.core_end_bp >= end_) return;
    progress.Set(static_cast<double>(window.core_end_bp) / 1e6);
    window = NextWindow(map_, window, job_.window_cm, job_.overlap_cm, INT64_MAX);
    Forget(window);
  }
}

// The windows are the same whatever the region, so that its results are too.
Window ContigImputer::FirstOfRegion() {
  Window window = FirstWindow(map_, panel_reader_.NextPosition().value(), job_.window_cm, job_.overlap_cm, INT64_MAX);
  if (!job_.region) return window;
  begin_ = job_.region->begin;
  end_ = job_.region->end;
  if (window.core_end_bp >= begin_) return window;
  while (window.core_end_bp < begin_) {
    window = NextWindow(map_, window, job_.window_cm, job_.overlap_cm, INT64_MAX);
  }
  panel_reader_.Seek({panel_.contig(), window.begin_bp, INT64_MAX});
  study_reader_.Seek({study_.contig, window.begin_bp, INT64_MAX});
  return window;
}

// Reads both sides up to a position; once the panel has ended, the study to its end.
void ContigImputer::ReadUntil(int64_t position) {
  const size_t first_panel = panel_.num_markers();
  const size_t first_study = study_.markers.size();
  if (!panel_ended_) panel_ended_ = !panel_reader_.ReadUntil(position, panel_);
  study_reader_.ReadUntil(panel_ended_ ? INT64_MAX : position, study_);
  PanelAlignment alignment = AlignToPanel(study_, panel_, first_study, first_panel);
  alignment_counts_ += alignment.counts;
  panel_marker_.insert(panel_marker_.end(), alignment.panel_marker.begin(), alignment.panel_marker.end());
}

// Where a window holds too few typed sites for what it has to impute, reads on until there are some in memory.
void ContigImputer::ReadTyped(Window& window) {
  if (FirstMarkerFrom(window.core_begin_bp) == MarkersUntil(window.core_end_bp)) return;
  const auto in_window = [&](size_t s) {
    const int64_t position = study_.markers[s].position;
    return IsMatched(panel_marker_[s]) && position >= window.begin_bp && position <= window.end_bp;
  };
  size_t typed = 0;
  for (size_t s = 0; s < panel_marker_.size(); ++s) typed += in_window(s);
  if (typed >= kMinTyped) return;
  const auto in_memory = [&] { return static_cast<size_t>(std::ranges::count_if(panel_marker_, IsMatched)); };
  Window further = window;
  while (!panel_ended_ && in_memory() < kMinTyped) {
    further = NextWindow(map_, further, job_.window_cm, job_.overlap_cm, INT64_MAX);
    ReadUntil(further.end_bp);
  }
  window.end_bp = further.end_bp;
  if (in_memory() > 0) {
    LogWarning("{}: {} typed site{} of the panel in {}:{}-{}; imputed from the neighbouring sites", job_.target, typed,
               typed == 1 ? "" : "s", output_contig_, window.core_begin_bp,
               std::min(window.core_end_bp, panel_.marker(panel_.num_markers() - 1).position));
  }
}

size_t ContigImputer::FirstMarkerFrom(int64_t position) const {
  size_t low = 0, high = panel_.num_markers();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (panel_.marker(middle).position < position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

size_t ContigImputer::MarkersUntil(int64_t position) const {
  return position == INT64_MAX ? panel_.num_markers() : FirstMarkerFrom(position + 1);
}

// Ends the core early where the dosages of a large study would take too much memory.
void ContigImputer::ShortenToMemory(Window& window) const {
  const size_t first = FirstMarkerFrom(window.core_begin_bp);
  const size_t bytes_per_marker = sizeof(uint16_t) * std::max<size_t>(1, study_.samples.num_haplotypes());
  const size_t most = std::max<size_t>(1, job_.max_window_bytes / bytes_per_marker);
  if (panel_.num_markers() - first <= most) return;
  const int64_t position = panel_.marker(first + most - 1).position;
  if (position >= window.core_end_bp) return;
  window.core_end_bp = position;
  // What lies beyond the flank is in memory already, but is not looked at before its own window.
  const double flank_end = map_.Centimorgans(position) + job_.overlap_cm;
  size_t last = first + most - 1;
  while (last + 1 < panel_.num_markers() && map_.Centimorgans(panel_.marker(last + 1).position) <= flank_end) ++last;
  window.end_bp = panel_.marker(last).position;
}

// The typed sites in memory up to the window's end, and beyond where these are too few, in the panel's order: two study
// markers at one position may be in another one.
WindowStudy ContigImputer::TypedStudy(const Window& window) const {
  std::vector<size_t> order;
  for (size_t s = 0; s < study_.markers.size(); ++s) {
    if (study_.markers[s].position > window.end_bp && order.size() >= kMinTyped) break;
    if (IsMatched(panel_marker_[s])) order.push_back(s);
  }
  std::ranges::sort(order, {}, [&](size_t s) { return panel_marker_[s]; });
  WindowStudy typed{&study_.samples, {}, {}};
  for (size_t s : order) {
    typed.typed.push_back(panel_marker_[s]);
    typed.rows.push_back(&study_.alleles[s]);
  }
  return typed;
}

void ContigImputer::ImputeAndWrite(const Window& window) {
  const size_t begin = FirstMarkerFrom(std::max(window.core_begin_bp, begin_));
  const int64_t last = std::min(window.core_end_bp, end_);
  const size_t end = std::max(begin, MarkersUntil(last));
  const WindowStudy typed = TypedStudy(window);
  if (typed.typed.empty() && begin != end) return;  // no typed site so far: the caller ends with an error if none comes
  const MarkerRange core{FirstMarkerFrom(window.core_begin_bp), MarkersUntil(window.core_end_bp)};
  WriteRecords(window, begin == end ? WindowDosages(begin, end, study_.samples.num_haplotypes())
                                    : model_.Impute(panel_, map_, typed, core, {begin, end}));
}

// Panel markers of the core and the study's own markers among them, in order.
void ContigImputer::WriteRecords(const Window& window, const WindowDosages& dosages) {
  std::vector<const std::vector<uint8_t>*> typed(dosages.end() - dosages.begin(), nullptr);
  for (size_t s = 0; s < panel_marker_.size(); ++s) {
    const uint32_t m = panel_marker_[s];
    if (IsMatched(m) && m >= dosages.begin() && m < dosages.end()) typed[m - dosages.begin()] = &study_.alleles[s];
  }
  const size_t haplotypes = dosages.num_haplotypes();
  std::vector<float> columns;
  std::vector<DosageRecord> records;
  const auto write_study_until = [&](int64_t position) {
    for (; study_written_ < study_.markers.size() && study_.markers[study_written_].position < position;
         ++study_written_) {
      if (panel_marker_[study_written_] != kNotInPanel || study_.markers[study_written_].position < begin_) continue;
      records.push_back({&study_.markers[study_written_], false, {}, study_.alleles[study_written_]});
      ++counts_.not_in_panel;
    }
  };
  for (size_t first = dosages.begin(); first < dosages.end(); first += kRecordsAtATime) {
    const size_t last = std::min(first + kRecordsAtATime, dosages.end());
    dosages.CopyColumns(first, last, columns);
    records.clear();
    for (size_t m = first; m < last; ++m) {
      write_study_until(panel_.marker(m).position);
      DosageRecord record{&panel_.marker(m), true, {columns.data() + (m - first) * haplotypes, haplotypes}, {}};
      const std::vector<uint8_t>* alleles = typed[m - dosages.begin()];
      if (alleles != nullptr) {
        record.typed_alleles = *alleles;
        record.has_left_out = model_.LeavesOutTyped();
      }
      ++(alleles != nullptr ? counts_.typed : counts_.imputed);
      records.push_back(record);
    }
    writer_.Write(output_contig_, records);
  }
  records.clear();
  const int64_t end = std::min(window.core_end_bp, end_);
  write_study_until(end == INT64_MAX ? INT64_MAX : end + 1);
  if (!records.empty()) writer_.Write(output_contig_, records);
}

// Drops what the next window does not need, but keeps some typed sites in case it has none.
void ContigImputer::Forget(const Window& next) {
  size_t matched_before = 0;
  for (size_t s = 0; s < study_.markers.size() && study_.markers[s].position < next.core_begin_bp; ++s) {
    matched_before += IsMatched(panel_marker_[s]);
  }
  // The last kKeptTyped typed sites before the core stay.
  int64_t keep_from = next.begin_bp;
  size_t passed = 0;
  for (size_t s = 0; s < study_.markers.size() && study_.markers[s].position < next.begin_bp; ++s) {
    if (!IsMatched(panel_marker_[s])) continue;
    if (matched_before - passed <= kKeptTyped) {
      keep_from = study_.markers[s].position;
      break;
    }
    ++passed;
  }
  const size_t drop_panel = FirstMarkerFrom(keep_from);
  panel_.DropBefore(drop_panel);
  const auto kept = std::ranges::lower_bound(study_.markers, keep_from, {}, &Marker::position);
  const auto drop_study = kept - study_.markers.begin();
  study_.markers.erase(study_.markers.begin(), kept);
  study_.alleles.erase(study_.alleles.begin(), study_.alleles.begin() + drop_study);
  panel_marker_.erase(panel_marker_.begin(), panel_marker_.begin() + drop_study);
  study_written_ -= std::min(study_written_, static_cast<size_t>(drop_study));
  for (uint32_t& m : panel_marker_) {
    if (IsMatched(m)) m -= static_cast<uint32_t>(drop_panel);
  }
}

}  // namespace haplospin
