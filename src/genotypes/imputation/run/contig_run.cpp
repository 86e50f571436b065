#include "genotypes/imputation/run/contig_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "core/log.h"
#include "core/signals.h"
#include "genotypes/imputation/run/study_only.h"
#include "genotypes/imputation/run/window_memory.h"
#include "genotypes/variant_io/genetic_map_file.h"

namespace haplospin {
namespace {

constexpr double kMegabase = 1e6;
constexpr size_t kMinTyped = 2;             // typed sites of a window; if it has fewer, neighboring sites are added
constexpr size_t kManySites = 200;          // study sites from which on the overlap is checked early
constexpr int64_t kStudyPiece = 1'000'000;  // bp that are read at a time where the panel has no markers
constexpr int64_t kShortPiece = 100'000;    // and where their number is limited
constexpr size_t kFlanksOfMost = 8;         // a flank may have one of so many parts of a window's markers, if limited
constexpr size_t kKeptTyped = 8;            // typed sites kept in memory for a next window with few of its own

GeneticMap MapOf(const ImputeJob& job, const std::string& contig) {
  return job.panel.map.empty() ? GeneticMap::Uniform() : LoadGeneticMap(job.panel.map, contig);
}

}  // namespace

ContigRun::ContigRun(const ImputeJob& job, const WindowModel& model, PanelReader& panel_reader,
                     StudyReader& study_reader, TransmissionPhaser* families, const OverlapFiles& files,
                     const ContigPart& part, int64_t last_position, std::unique_ptr<WindowWriter> writer,
                     const std::string& verb)
    : job_(job),
      model_(model),
      files_(files),
      part_(part),
      map_(MapOf(job, files.contig)),
      first_position_(panel_reader.NextPosition().value()),
      begin_(job.windows.region ? job.windows.region->begin : 0),
      end_(job.windows.region ? job.windows.region->end : INT64_MAX),
      next_study_only_(begin_),
      buffer_(panel_reader, study_reader, families),
      missing_(buffer_.study().samples.num_haplotypes(), kMissingAllele),
      writer_(std::move(writer)),
      progress_(verb + " " + files.contig, "Mb", 0) {
  SetTotal(last_position);
  if (model_.traits().uses_adaptation && !ImputesByLikelihoods(job_)) {
    if (const auto adaptation = panel_reader.Adaptation()) array_.emplace(buffer_.panel().samples(), *adaptation);
  }
  max_dosage_bytes_ = MaxDosageBytes(panel_reader, last_position);
  max_markers_ = MaxMarkersByPhasing(buffer_.study().samples.num_haplotypes(), buffer_.panel().num_haplotypes(), job_);
}

// Estimates the memory before the panel is read, if the reader knows its content.
size_t ContigRun::MaxDosageBytes(const PanelReader& panel, int64_t last_position) const {
  const int64_t first = std::max(first_position_, begin_), last = std::min({last_position, part_.end, end_});
  const std::optional<WindowMemory> estimate =
      EstimateMemory(panel, map_, first, last, buffer_.study().samples.num_haplotypes(), job_);
  return estimate ? LeftForDosages(*estimate, job_, files_.contig) : job_.memory.dosage_bytes;
}

ImputeCounts ContigRun::counts() const {
  ImputeCounts counts = writer_->counts();
  counts.samples = buffer_.study().samples.num_samples();
  return counts;
}

void ContigRun::SetTotal(int64_t last_position) {
  const int64_t last = std::min({last_position > 0 ? last_position : INT64_MAX, part_.end, end_});
  if (last < INT64_MAX) progress_.SetTotal(static_cast<double>(last - std::max(first_position_, begin_)) / kMegabase);
}

void ContigRun::ShowProgress(int64_t position) {
  progress_.Set(static_cast<double>(std::max<int64_t>(0, position - std::max(first_position_, begin_))) / kMegabase);
}

// Tells a later run where to begin; the windows are those of the whole contig.
void ContigRun::SetRegionToDo(const Window& window) const {
  const std::string end = end_ < INT64_MAX ? fmt::format("{}", end_) : "";
  SetRegionLeft(fmt::format("{}:{}-{}", files_.contig, std::max(window.core_begin_bp, begin_), end));
}

void ContigRun::Run() {
  Window window = First();
  GoToRegion(window);
  WriteStudyAlone(std::min(first_position_ - kStudyPiece, end_));
  for (;;) {
    SetRegionToDo(window);
    Read(window);
    ImputeAndWrite(window);
    if (window.core_end_bp >= end_ || HasWholePanel(window)) break;
    ShowProgress(window.core_end_bp);
    window = Next(window);
    LimitFlank(window);
    Forget(window);
  }
  if (window.core_end_bp < end_) {
    buffer_.DropBefore(window.core_end_bp + 1);
    WriteStudyAlone(end_);
  }
  CheckOverlap(true);
  if (job_.panel.map.empty()) return;
  CheckMapCoverage(map_, overlap(), job_.panel.map, files_, part_);
  WarnOfShiftedMap(map_fit_.FindShift(map_), job_.panel.map, files_);
}

// Returns whether the panel ends with the window; not for a window that was shortened.
bool ContigRun::HasWholePanel(const Window& window) const {
  return buffer_.panel_ended() && window.core_end_bp == buffer_.read_until();
}

// Checks the overlap if the contig was read to its end, or has many sites.
void ContigRun::CheckOverlap(bool is_whole) const {
  const PanelOverlap& overlap = buffer_.overlap();
  const bool has_sites = alignment().matched > 0;  // for a contig without any, the caller has a clearer error
  if (has_sites && (is_whole || overlap.study_sites >= kManySites)) {
    CheckSiteShare(overlap, alignment(), files_, job_.panel.min_ratio);
    CheckGenotypes(buffer_.signs(), files_, job_.panel.min_ratio);
  }
  if (has_sites && is_whole && !job_.windows.region && part_.IsWhole())
    CheckSpanShare(overlap, files_, job_.panel.min_ratio);
}

Window ContigRun::First() const {
  return FirstWindow(map_, first_position_, job_.windows.length_cm, job_.windows.overlap_cm);
}

Window ContigRun::Next(const Window& previous) const {
  return NextWindow(map_, previous, job_.windows.length_cm, job_.windows.overlap_cm);
}

// The windows do not depend on the region, so that the results do not either. If the region begins in the overlap that
// follows a core, that window is read too: it is the last one, with a longer core, if the panel ends in its overlap.
void ContigRun::GoToRegion(Window& window) {
  if (window.end_bp >= begin_) return;
  while (window.end_bp < begin_) window = Next(window);
  buffer_.Seek(std::max(window.begin_bp, part_.begin));
}

// Reads what the window needs and sets its end, which depends on what is there.
void ContigRun::Read(Window& window) {
  progress_.SetNote("reading");
  ReadWindow(window);
  CheckOverlap(false);
  ReadTyped(window);
  progress_.SetNote("");
  if (buffer_.panel_ended()) SetTotal(overlap().panel.last);
  if (buffer_.panel_ended()) window.core_end_bp = window.end_bp = buffer_.read_until();
  ShortenToMarkers(window);
  ShortenToMemory(window);
}

void ContigRun::ReadUntil(int64_t position) {
  buffer_.ReadUntil(position);
  if (!job_.panel.map.empty()) map_fit_.Add(buffer_.panel());
  CheckPanelMemory(buffer_.panel(), job_);
}

// Reads the window or, if phasing alone imputes it, as many of its markers as fit into memory.
void ContigRun::ReadWindow(const Window& window) {
  while (max_markers_ < SIZE_MAX && buffer_.Markers(window.begin_bp, window.end_bp).size() <= max_markers_) {
    const std::optional<int64_t> next = buffer_.NextOfStudy();
    if (!next || *next > window.end_bp) break;
    ReadUntil(std::min(*next + kShortPiece, window.end_bp));
  }
  if (buffer_.Markers(window.begin_bp, window.end_bp).size() <= max_markers_) ReadUntil(window.end_bp);
}

// Begins a window later, if the flank before its core has too many markers.
void ContigRun::LimitFlank(Window& window) const {
  const MarkerRange flank = buffer_.Markers(window.begin_bp, window.core_begin_bp - 1);
  const size_t most = max_markers_ / kFlanksOfMost;
  if (flank.size() > most) window.begin_bp = buffer_.panel().marker(flank.end - most).position;
}

// Ends a window early, if it has too many markers.
void ContigRun::ShortenToMarkers(Window& window) const {
  const HaplotypePanel& panel = buffer_.panel();
  const MarkerRange markers = buffer_.Markers(window.begin_bp, window.end_bp);
  if (markers.size() <= max_markers_) return;
  const size_t last = markers.begin + max_markers_ - 1, most = max_markers_ / kFlanksOfMost;
  window.end_bp = panel.marker(last).position;
  const double flank_begin = map_.Centimorgans(window.end_bp) - job_.windows.overlap_cm;
  size_t core_last = last;
  while (last - core_last < most && map_.Centimorgans(panel.marker(core_last).position) > flank_begin) --core_last;
  window.core_end_bp = std::max(window.core_begin_bp, panel.marker(core_last).position);
}

// Reads on until there are enough typed sites in memory, if the window has too few.
void ContigRun::ReadTyped(Window& window) {
  if (buffer_.Markers(window.core_begin_bp, window.core_end_bp).size() == 0) return;
  const size_t typed = buffer_.NumTyped(window.begin_bp, window.end_bp);
  if (typed >= kMinTyped) return;
  Window further = window;
  while (!buffer_.panel_ended() && buffer_.NumTyped() < kMinTyped) {
    further = Next(further);
    ReadUntil(further.end_bp);
  }
  window.end_bp = further.end_bp;
  if (buffer_.NumTyped() > 0) WarnOfFewTyped(window, typed);
}

void ContigRun::WarnOfFewTyped(const Window& window, size_t typed) const {
  const HaplotypePanel& panel = buffer_.panel();
  LogWarning("{}: {} typed site{} of the panel in {}:{}-{}; imputed from neighboring sites", job_.study.path, typed,
             typed == 1 ? "" : "s", files_.contig, window.core_begin_bp,
             std::min(window.core_end_bp, panel.marker(panel.num_markers() - 1).position));
}

// Ends the core early if the dosages of a large study would take too much memory.
void ContigRun::ShortenToMemory(Window& window) const {
  const HaplotypePanel& panel = buffer_.panel();
  const size_t first = FirstMarkerAtOrAfter(panel, window.core_begin_bp);
  const size_t haplotypes = std::max<size_t>(1, buffer_.study().samples.num_haplotypes());
  // The factor is for a window that is less compressible than those before.
  const double compressed = largest_compressed_ > 0 ? 1.25 * largest_compressed_ : ProbabilityTable::kCompressedBytes;
  const size_t max_markers = std::max<size_t>(1, max_dosage_bytes_ / model_.BytesOfMarker(haplotypes, compressed));
  if (panel.num_markers() - first <= max_markers) return;
  const int64_t position = panel.marker(first + max_markers - 1).position;
  if (position >= window.core_end_bp) return;
  window.core_end_bp = position;
  // Markers after the flank are in memory, but are not used before their own window.
  const double flank_end = map_.Centimorgans(position) + job_.windows.overlap_cm;
  size_t last = first + max_markers - 1;
  while (last + 1 < panel.num_markers() && map_.Centimorgans(panel.marker(last + 1).position) <= flank_end) ++last;
  window.end_bp = panel.marker(last).position;
}

// Returns a function that moves the progress bar along the markers of `wanted`.
std::function<void(double)> ContigRun::OnProgress(MarkerRange wanted, size_t num_samples) {
  const int64_t first = buffer_.panel().marker(wanted.begin).position;
  const auto length = static_cast<double>(buffer_.panel().marker(wanted.end - 1).position - first);
  const auto done = std::make_shared<std::atomic<double>>(0);
  return [this, first, length, num_samples, done](double work) {
    const double share = (*done += work) / static_cast<double>(num_samples);
    ShowProgress(first + static_cast<int64_t>(std::min(share, 1.0) * length));
  };
}

void ContigRun::ImputeAndWrite(const Window& window) {
  const int64_t last = std::min(window.core_end_bp, end_);
  const MarkerRange core = buffer_.Markers(window.core_begin_bp, window.core_end_bp);
  const MarkerRange wanted = buffer_.Markers(std::max(window.core_begin_bp, begin_), last);
  WindowStudy study = buffer_.Typed(window.end_bp, kMinTyped, begin_, phased_until_);
  if (ImputesByLikelihoods(job_)) AddUntyped(buffer_.Markers(0, window.end_bp), missing_, study);
  if (wanted.size() > 0) study.on_progress = OnProgress(wanted, study.samples->num_samples());
  if (wanted.size() == 0) {
    WriteStudy(last);
  } else if (!study.typed.empty()) {  // a panel without typed sites is an error of the caller
    const PanelWindow panel_window(buffer_.panel(), map_, study.typed, wanted);
    std::optional<ArrayWindow> array;
    if (array_) array = array_->Find(buffer_.panel(), study.typed, core, wanted);
    std::optional<PanelEstimates> adapted;
    if (array) adapted = array_->Estimates(panel_window);
    WindowDosages dosages = model_.Impute({panel_window, study, core, std::move(adapted)});
    dosages.array = std::move(array);
    fit_ += dosages.fit;
    phase_errors_ += dosages.phase_errors;
    largest_compressed_ = std::max(largest_compressed_, dosages.alt.CompressedBytes());
    buffer_.LearnPhase(dosages, last);
    const std::optional<StudyOnlyDosages> study_only = ImputeStudyOnlyUntil(last, window.end_bp);
    phased_until_ = last;
    writer_->Write(buffer_, dosages, study_only ? &*study_only : nullptr, last);
  }
}

// Imputes what the panel does not have, from where the last call ended up to `last`, bp.
std::optional<StudyOnlyDosages> ContigRun::ImputeStudyOnlyUntil(int64_t last, int64_t end) {
  const StudyOnlyRange range{next_study_only_, last, end};
  next_study_only_ = last == INT64_MAX ? last : last + 1;
  const bool is_other = job_.panel.path.empty() || ImputesByLikelihoods(job_) || !model_.traits().accepts_unphased;
  if (is_other || job_.output.fields.leaves_out_study) return std::nullopt;
  std::optional<StudyOnlyDosages> found = ImputeStudyOnly(
      buffer_, map_, range, MaxMarkersFromStudy(buffer_.study().samples.num_haplotypes(), job_), job_.seed);
  if (found) buffer_.LearnPhase(found->dosages, found->marker, last);
  return found;
}

// Reads and writes the study's markers up to `end`, where the panel has none, a piece at a time.
void ContigRun::WriteStudyAlone(int64_t end) {
  for (auto next = buffer_.NextOfStudy(); next && *next <= end; next = buffer_.NextOfStudy()) {
    const int64_t last = std::min(*next + kStudyPiece - 1, end_);
    ReadUntil(last);
    WriteStudy(last);
    buffer_.DropBefore(last + 1);
  }
}

// Writes the study's markers up to `last`, where the panel has no markers to write.
void ContigRun::WriteStudy(int64_t last) {
  const WindowDosages none({}, buffer_.study().samples.num_haplotypes());
  buffer_.LearnPhase(none, last);
  writer_->Write(buffer_, none, nullptr, last);
}

// Removes what the next window does not need, but keeps some typed sites in case it has none.
void ContigRun::Forget(const Window& next) {
  buffer_.DropBefore(std::min(next.begin_bp, buffer_.PositionOfTypedBefore(next.core_begin_bp, kKeptTyped)));
}

}  // namespace haplospin
