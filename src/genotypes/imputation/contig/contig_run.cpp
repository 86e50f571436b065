#include "genotypes/imputation/contig/contig_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "core/log.h"
#include "core/signals.h"
#include "genotypes/imputation/contig/learned_orders.h"
#include "genotypes/imputation/contig/study_only.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kStudyPiece = 1'000'000;  // bp that are read at a time where the panel has no markers

ContigRange RangeOf(const ImputeJob& job, const ContigInput& input) {
  ContigRange range{.panel = input.panel.NextPosition().value()};
  if (const std::optional<Region>& region = job.windows.region) {
    range.begin = region->begin;
    range.end = region->end;
  }
  return range;
}

// Tells a later run where to begin.
void SetRegionToDo(const std::string& contig, int64_t begin, int64_t end) {
  SetWorkLeft(fmt::format("--region {}:{}-{}", contig, begin, end < INT64_MAX ? fmt::format("{}", end) : ""));
}

}  // namespace

ContigRun::ContigRun(const ImputeJob& job, const StudyFacts& facts, const Imputer& imputer, const ContigInput& input,
                     StudyOutput& output)
    : job_(job),
      input_(input),
      output_(output),
      range_(RangeOf(job, input)),
      buffer_(input.panel, input.study, input.families),
      imputer_(job, facts, imputer, input, buffer_),
      checks_(job, input, buffer_),
      reader_(input.map, input.windows, range_.panel, input.part.begin,
              LimitWindows(input, range_, buffer_.panel().num_haplotypes(), imputer_.study(), job), buffer_,
              [this] { checks_.NoteRead(); }),
      merger_(facts.output, imputer_.plan(), input.files.contig, range_.begin, output),
      progress_(input.progress, range_.first()),
      next_study_only_(range_.begin) {
  progress_.SetLast(range_.last(input.last_position > 0 ? input.last_position : INT64_MAX, input.part));
}

ContigReport ContigRun::Run() {
  reader_.GoTo(range_.begin);
  WriteStudyAlone(std::min(range_.panel - kStudyPiece, range_.end));
  for (;; reader_.Next()) {
    SetRegionToDo(input_.files.contig, std::max(reader_.window().core_begin_bp, range_.begin), range_.end);
    Read();
    ImputeAndWrite();
    if (reader_.window().core_end_bp >= range_.end || reader_.HasWholePanel()) break;
    progress_.Show(reader_.window().core_end_bp);
  }
  if (const int64_t written = reader_.window().core_end_bp; written < range_.end) {
    buffer_.DropBefore(written + 1);
    WriteStudyAlone(range_.end);
  }
  EndPart();
  checks_.CheckWhole();
  const ContigTotals totals = Totals();
  ContigReport report{.markers = totals.markers,
                      .windows = totals.windows,
                      .array = totals.array,
                      .interrupted = {buffer_.phase().num_interrupted(), buffer_.phase().first_interrupted()},
                      .has_samples = buffer_.samples().num_samples() > 0};
  if (totals.markers.as_given > 0) report.lone_sample = buffer_.samples().names[0];
  report.one_allele = FindOneAllele(input_.files.contig, input_.part, buffer_.samples(), buffer_.panel().samples());
  checks_.AddTo(report);
  return report;
}

// Reads what the window needs, and sets its end, which depends on what is there.
void ContigRun::Read() {
  progress_.SetNote("reading");
  const Window planned = reader_.window();
  reader_.Read();
  checks_.CheckOverlap();
  if (const std::optional<size_t> typed = reader_.SetEnd()) checks_.NoteFewTyped(planned, *typed);
  progress_.SetNote("");
  if (buffer_.panel_ended()) progress_.SetLast(range_.last(buffer_.overlap().panel.last, input_.part));
}

void ContigRun::ImputeAndWrite() {
  const Window& window = reader_.window();
  const int64_t last = std::min(window.core_end_bp, range_.end);
  const MarkerRange core = buffer_.Markers(window.core_begin_bp, window.core_end_bp);
  const MarkerRange wanted = buffer_.Markers(std::max(window.core_begin_bp, range_.begin), last);
  if (wanted.size() == 0) return WriteStudy(last);
  // In a study of women, nobody has Y.
  if (buffer_.samples().num_samples() == 0) return WriteUndosed(wanted, last, /*is_as_given=*/false);
  const auto on_work =
      progress_.OnWork(buffer_.panel().marker(wanted.begin).position, buffer_.panel().marker(wanted.end - 1).position,
                       buffer_.samples().num_samples());
  const WindowStudy study = imputer_.TypedStudy(window.end_bp, range_.begin, phased_until_, on_work);
  if (study.typed().empty()) return;  // a panel without typed sites is an error of the caller
  if (HasNobodyToCopy()) return WriteUndosed({}, last, /*is_as_given=*/true);
  if (IsReplaying()) return Replay(last);
  const PanelWindow panel(buffer_.panel(), input_.map, study.typed(), wanted,
                          imputer_.plan().Copying(buffer_.panel().num_haplotypes()));
  WindowState state(panel, study, core);
  imputer_.Impute(state);
  LearnAndWrite(state, last);
}

// Without a panel, a sample takes what it lacks from the others, of whom there may be none on Y or W.
bool ContigRun::HasNobodyToCopy() const {
  if (buffer_.panel().num_haplotypes() > 0 || buffer_.samples().num_samples() > 1) return false;
  return std::ranges::any_of(buffer_.markers(), [](const ContigMarker& marker) {
    return marker.genotypes.HasMissing() || marker.genotypes.IsUnphased(0);
  });
}

// Writes what was found in a window up to `last`, bp, and makes it durable if the run resumes.
void ContigRun::LearnAndWrite(const WindowState& window, int64_t last) {
  RunJournal* const journal = input_.journal;
  const WindowDosages& dosages = *window.dosages;
  JournalEntry entry{.last = last, .compressed_bytes = dosages.alt.CompressedBytes()};
  reader_.NoteCompressedBytes(entry.compressed_bytes);
  if (journal != nullptr) entry.orders = PackOrders(dosages, buffer_.PanelMarkers(), buffer_.markers());
  buffer_.LearnPhase(dosages, last);
  const WindowResult found{window, imputer_.ImputeStudyOnly({next_study_only_, last, reader_.window().end_bp})};
  next_study_only_ = last == INT64_MAX ? last : last + 1;
  if (found.study_only != nullptr) {
    const WindowDosages& study_only = found.study_only->dosages();
    const std::vector<uint32_t>& column = found.study_only->markers();
    if (journal != nullptr) entry.study_only = PackOrders(study_only, column, buffer_.markers());
    buffer_.LearnPhase(study_only, column, last);
  }
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
  GoOnAfter(journal->Take(INT64_MAX));
}

void ContigRun::GoOnAfter(const JournalEntry& entry) {
  earlier_ = entry.totals.markers;
  imputer_.GoOnAfter(entry.totals);
  if (IsReplaying()) return;
  output_.Restore(entry.output);
  if (entry.last == INT64_MAX) return;
  LogInfo("{}: going on after {}:{}", job_.output.path, input_.files.contig, entry.last);
  progress_.StartAt(entry.last);
}

ContigTotals ContigRun::Totals() const {
  ContigTotals totals{.markers = earlier_};
  totals.markers += merger_.counts();
  imputer_.AddTo(totals);
  return totals;
}

// Reads and writes the study's markers up to `end`, where the panel has none, a piece at a time.
void ContigRun::WriteStudyAlone(int64_t end) {
  for (auto next = buffer_.NextOfStudy(); next && *next <= end; next = buffer_.NextOfStudy()) {
    const int64_t last = std::min(*next + kStudyPiece - 1, range_.end);
    reader_.ReadUntil(last);
    WriteStudy(last);
    buffer_.DropBefore(last + 1);
  }
}

// Writes the study's markers up to `last`, where the panel has no markers to write.
void ContigRun::WriteStudy(int64_t last) { WriteUndosed({}, last, /*is_as_given=*/false); }

// Writes the records up to `last` without imputation.
void ContigRun::WriteUndosed(MarkerRange wanted, int64_t last, bool is_as_given) {
  const WindowStudy none(buffer_.samples(), {});
  const PanelWindow panel(buffer_.panel(), input_.map, {}, wanted);
  WindowState window(panel, none, wanted);
  buffer_.LearnPhase(window.dosages.emplace(wanted, buffer_.samples().num_haplotypes()), last);
  IsReplaying() ? merger_.Skip(last) : merger_.Write(buffer_, {.window = window, .is_as_given = is_as_given}, last);
}

}  // namespace haplospin
