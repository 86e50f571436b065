#include "genotypes/imputation/contig/contig_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "core/log.h"
#include "core/signals.h"
#include "genotypes/imputation/contig/learned_orders.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "genotypes/imputation/stages/phasing/phasing_plan.h"

namespace haplospin {
namespace {

// Panel haplotypes from which the copying model is estimated where all markers of the panel take part. There are many
// more than on an array, so that fewer haplotypes tell as much.
constexpr size_t kHaplotypesAtAllMarkers = 64;

constexpr double kMegabase = 1e6;
constexpr size_t kManySites = 200;          // study sites from which on the overlap is checked early
constexpr int64_t kStudyPiece = 1'000'000;  // bp that are read at a time where the panel has no markers

}  // namespace

ContigRun::ContigRun(const ImputeJob& job, const RunPlan& plan, const WindowModel& model, const ContigInput& input,
                     StudyOutput& output)
    : job_(job),
      plan_(plan),
      model_(model),
      input_(input),
      output_(output),
      first_position_(input.panel.NextPosition().value()),
      begin_(job.windows.region ? job.windows.region->begin : 0),
      end_(job.windows.region ? job.windows.region->end : INT64_MAX),
      next_study_only_(begin_),
      buffer_(input.panel, input.study, input.families),
      reader_(input.map, input.windows, first_position_, input.part.begin, Limits(), buffer_, [this] { OnRead(); }),
      merger_(plan.output, input.files.contig, begin_, output) {
  if (!input.progress.empty()) progress_.emplace(input.progress, "Mb", 0);
  SetTotal(input.last_position);
  if (!plan.uses_adaptation) return;
  if (auto adaptation = input.panel.Adaptation()) array_.emplace(buffer_.panel().samples(), *std::move(adaptation));
}

const Pedigree* ContigRun::PanelRelatives() const {
  const TransmissionPhaser* families = buffer_.phase().families();
  return families == nullptr || families->pedigree().others.empty() ? nullptr : &families->pedigree();
}

WindowLimits ContigRun::Limits() const {
  const size_t haplotypes = buffer_.samples().num_haplotypes();
  const size_t family_bytes = PanelRelatives() == nullptr ? 0 : haplotypes * kPanelFamilyAlleleBytes;
  const auto bytes_of_marker = [this, haplotypes, family_bytes](double compressed_bytes) {
    return model_.BytesOfMarker(std::max<size_t>(1, haplotypes), compressed_bytes) + family_bytes;
  };
  WindowLimits limits{.dosage_bytes = MaxDosageBytes(), .bytes_of_marker = bytes_of_marker};
  if (plan_.limits_markers) limits.markers = MaxMarkersByPhasing(haplotypes, buffer_.panel().num_haplotypes(), job_);
  return limits;
}

// Estimates the memory before the panel is read, if its content is known.
size_t ContigRun::MaxDosageBytes() const {
  const int64_t first = std::max(first_position_, begin_);
  const int64_t last = std::min({input_.last_position, input_.part.end, end_});
  const std::optional<WindowMemory> estimate =
      EstimateMemory(input_.panel, input_.map, input_.windows, first, last,
                     {buffer_.samples().num_samples(), buffer_.samples().num_haplotypes(), PanelRelatives()}, job_);
  return estimate ? LeftForDosages(*estimate, job_, input_.files.contig) : job_.memory.dosage_bytes;
}

ContigTotals ContigRun::Totals() const {
  ContigTotals totals = earlier_;
  totals.markers += merger_.counts();
  totals.fit = fit_;
  totals.phase_errors = phase_errors_;
  if (array_) totals.array += array_->agreement();
  return totals;
}

ContigReport ContigRun::Report() const {
  const ContigTotals totals = Totals();
  return {.markers = totals.markers,
          .alignment = buffer_.alignment(),
          .overlap = buffer_.overlap(),
          .fit = totals.fit,
          .phase_errors = totals.phase_errors,
          .array = totals.array,
          .interrupted = {buffer_.phase().num_interrupted(), buffer_.phase().first_interrupted()},
          .few_typed = few_typed_,
          .lone_typed = lone_typed_};
}

void ContigRun::SetTotal(int64_t last_position) {
  const int64_t last = std::min({last_position > 0 ? last_position : INT64_MAX, input_.part.end, end_});
  if (progress_ && last < INT64_MAX)
    progress_->SetTotal(static_cast<double>(last - std::max(first_position_, begin_)) / kMegabase);
}

void ContigRun::ShowProgress(int64_t position) {
  if (!progress_) return;
  progress_->Set(static_cast<double>(std::max<int64_t>(0, position - std::max(first_position_, begin_))) / kMegabase);
}

// Tells a later run where to begin; the windows are those of the whole contig.
void ContigRun::SetRegionToDo() const {
  const std::string end = end_ < INT64_MAX ? fmt::format("{}", end_) : "";
  SetWorkLeft(
      fmt::format("--region {}:{}-{}", input_.files.contig, std::max(reader_.window().core_begin_bp, begin_), end));
}

ContigReport ContigRun::Run() {
  reader_.GoTo(begin_);
  WriteStudyAlone(std::min(first_position_ - kStudyPiece, end_));
  for (;; reader_.Next()) {
    SetRegionToDo();
    Read();
    ImputeAndWrite();
    if (reader_.window().core_end_bp >= end_ || reader_.HasWholePanel()) break;
    ShowProgress(reader_.window().core_end_bp);
  }
  if (const int64_t written = reader_.window().core_end_bp; written < end_) {
    buffer_.DropBefore(written + 1);
    WriteStudyAlone(end_);
  }
  EndPart();
  CheckOverlap(true);
  CheckMap();
  return Report();
}

// Checks the overlap if the contig was read to its end, or has many sites.
void ContigRun::CheckOverlap(bool is_whole) const {
  const PanelOverlap& overlap = buffer_.overlap();
  const bool has_sites = buffer_.alignment().matched > 0;  // for a contig without any, the caller has a clearer error
  if (has_sites && (is_whole || overlap.study_sites >= kManySites)) {
    CheckSiteShare(overlap, buffer_.alignment(), input_.files, job_.panel.min_ratio);
    CheckGenotypes(buffer_.signs(), input_.files, job_.panel.min_ratio);
  }
  if (has_sites && is_whole && !job_.windows.region && input_.part.IsWhole())
    CheckSpanShare(overlap, input_.files, job_.panel.min_ratio);
}

void ContigRun::CheckMap() const {
  if (job_.panel.map.empty()) return;
  CheckMapCoverage(input_.map, buffer_.overlap(), job_.panel.map, input_.files, input_.part);
  WarnOfShiftedMap(map_comparison_.FindShift(input_.map), job_.panel.map, input_.files);
}

// Reads what the window needs, and sets its end, which depends on what is there.
void ContigRun::Read() {
  if (progress_) progress_->SetNote("reading");
  const Window planned = reader_.window();
  reader_.Read();
  CheckOverlap(false);
  if (const std::optional<size_t> typed = reader_.SetEnd()) NoteFewTyped(planned, *typed);
  if (progress_) progress_->SetNote("");
  if (buffer_.panel_ended()) SetTotal(buffer_.overlap().panel.last);
}

void ContigRun::OnRead() {
  if (!job_.panel.map.empty()) map_comparison_.Add(buffer_.panel());
  CheckPanelMemory(buffer_.panel(), job_);
}

// A site that is alone on its contig has no neighbors, however many windows there are.
void ContigRun::NoteFewTyped(const Window& window, size_t typed) {
  const HaplotypePanel& panel = buffer_.panel();
  const std::string place = fmt::format("{}:{}-{}", input_.files.contig, window.core_begin_bp,
                                        std::min(window.core_end_bp, panel.marker(panel.num_markers() - 1).position));
  if (buffer_.NumTyped() >= kMinTyped) {
    few_typed_.Add(typed, place);
  } else if (lone_typed_.count == 0) {
    lone_typed_.Add(1, place);
  }
}

// Returns a function that moves the progress bar along the markers of `wanted`.
std::function<void(double)> ContigRun::OnProgress(MarkerRange wanted) {
  const int64_t first = buffer_.panel().marker(wanted.begin).position;
  const auto length = static_cast<double>(buffer_.panel().marker(wanted.end - 1).position - first);
  const auto done = std::make_shared<std::atomic<double>>(0);
  return [this, first, length, done](double work) {
    const double share = (*done += work) / static_cast<double>(buffer_.samples().num_samples());
    ShowProgress(first + static_cast<int64_t>(std::min(share, 1.0) * length));
  };
}

void ContigRun::ImputeAndWrite() {
  const Window& window = reader_.window();
  const int64_t last = std::min(window.core_end_bp, end_);
  const MarkerRange core = buffer_.Markers(window.core_begin_bp, window.core_end_bp);
  const MarkerRange wanted = buffer_.Markers(std::max(window.core_begin_bp, begin_), last);
  if (wanted.size() == 0) return WriteStudy(last);
  const WindowStudy study = TypedStudy(window.end_bp, wanted);
  if (study.typed().empty()) return;  // a panel without typed sites is an error of the caller
  if (IsReplaying()) return Replay(last);
  LearnAndWrite(Impute(study, core, wanted), last);
}

// Writes what was found in a window up to `last`, bp, and makes it durable if the run resumes.
void ContigRun::LearnAndWrite(WindowResult found, int64_t last) {
  RunJournal* const journal = input_.journal;
  JournalEntry entry{.last = last, .compressed_bytes = found.dosages.alt.CompressedBytes()};
  if (journal != nullptr) entry.orders = PackOrders(found.dosages, buffer_.PanelMarkers(), buffer_.markers());
  buffer_.LearnPhase(found.dosages, last);
  found.study_only = ImputeStudyOnlyUntil(last, reader_.window().end_bp, entry.study_only);
  phased_until_ = last;
  merger_.Write(buffer_, found, last);
  if (journal == nullptr) return;
  entry.totals = Totals();
  entry.output = output_.Save();
  journal->Append(entry);
}

// Learns what an earlier run has found in a window up to `last`, bp, and written.
void ContigRun::Replay(int64_t last) {
  const JournalEntry entry = input_.journal->Take(last);
  const size_t haplotypes = buffer_.samples().num_haplotypes();
  reader_.NoteCompressedBytes(entry.compressed_bytes);
  for (const std::string& packed : {entry.orders, entry.study_only}) {
    if (packed.empty()) continue;
    const LearnedOrders orders = UnpackOrders(packed, haplotypes, buffer_.markers());
    buffer_.LearnPhase(orders.dosages, orders.column, last);
  }
  next_study_only_ = last == INT64_MAX ? last : last + 1;
  phased_until_ = last;
  merger_.Skip(last);
  if (!IsReplaying()) GoOnAfter(entry);
}

// The contig, or a part of it, is complete.
void ContigRun::EndPart() {
  RunJournal* const journal = input_.journal;
  if (journal == nullptr) return;
  if (!IsReplaying()) {
    journal->Append({.last = INT64_MAX, .totals = Totals(), .output = output_.Save()});
    return;
  }
  const JournalEntry entry = journal->Take(INT64_MAX);
  GoOnAfter(entry);
}

void ContigRun::GoOnAfter(const JournalEntry& entry) {
  earlier_.markers = entry.totals.markers;
  earlier_.array = entry.totals.array;
  fit_ = entry.totals.fit;
  phase_errors_ = entry.totals.phase_errors;
  if (IsReplaying()) return;
  output_.Restore(entry.output);
  if (entry.last == INT64_MAX) return;
  LogInfo("{}: going on after {}:{}", job_.output.path, input_.files.contig, entry.last);
  if (progress_) progress_->StartAt(static_cast<double>(entry.last - std::max(first_position_, begin_)) / kMegabase);
}

// Returns the study at the markers that take part in imputation, up to `last`, bp, or further.
WindowStudy ContigRun::TypedStudy(int64_t last, MarkerRange wanted) {
  const WindowStudy study = buffer_.Typed(last, kMinTyped, begin_, phased_until_, OnProgress(wanted));
  return plan_.phases_whole_panel ? buffer_.WithUntyped(study, last) : study;
}

WindowResult ContigRun::Impute(const WindowStudy& study, MarkerRange core, MarkerRange wanted) {
  CopyingOptions options = CopyingOptions().ForPanel(buffer_.panel().num_haplotypes());
  if (plan_.phases_whole_panel) {
    options.max_haplotypes = kHaplotypesAtAllMarkers;
    options.min_frequency = kRareFrequency;
  }
  const PanelWindow panel(buffer_.panel(), input_.map, study.typed(), wanted, options);
  std::optional<ArrayWindow> array;
  if (array_) array = array_->Find(buffer_.panel(), study.typed(), core, wanted);
  std::optional<PanelEstimates> adapted;
  if (array) adapted = array_->Estimates(panel);
  WindowDosages dosages = model_.Impute({panel, study, core, std::move(adapted)});
  if (dosages.fit) fit_ += *dosages.fit;
  phase_errors_ += dosages.phase_errors;
  reader_.NoteCompressedBytes(dosages.alt.CompressedBytes());
  return {.dosages = std::move(dosages), .array = std::move(array)};
}

// Imputes what the panel does not have, from where the last call ended up to `last`, bp. A run that resumes also packs
// what is learned.
std::optional<StudyOnlyDosages> ContigRun::ImputeStudyOnlyUntil(int64_t last, int64_t end, std::string& orders) {
  const StudyOnlyRange range{next_study_only_, last, end};
  next_study_only_ = last == INT64_MAX ? last : last + 1;
  if (!plan_.imputes_study_only) return std::nullopt;
  std::optional<StudyOnlyDosages> found = ImputeStudyOnly(
      buffer_, input_.map, range, MaxMarkersFromStudy(buffer_.samples().num_haplotypes(), job_), job_.seed);
  if (!found) return found;
  if (input_.journal != nullptr) orders = PackOrders(found->dosages, found->marker, buffer_.markers());
  buffer_.LearnPhase(found->dosages, found->marker, last);
  return found;
}

// Reads and writes the study's markers up to `end`, where the panel has none, a piece at a time.
void ContigRun::WriteStudyAlone(int64_t end) {
  for (auto next = buffer_.NextOfStudy(); next && *next <= end; next = buffer_.NextOfStudy()) {
    const int64_t last = std::min(*next + kStudyPiece - 1, end_);
    reader_.ReadUntil(last);
    WriteStudy(last);
    buffer_.DropBefore(last + 1);
  }
}

// Writes the study's markers up to `last`, where the panel has no markers to write.
void ContigRun::WriteStudy(int64_t last) {
  const WindowResult none{.dosages = {{}, buffer_.samples().num_haplotypes()}};
  buffer_.LearnPhase(none.dosages, last);
  IsReplaying() ? merger_.Skip(last) : merger_.Write(buffer_, none, last);
}

}  // namespace haplospin
