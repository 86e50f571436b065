// Imputes or phases one contig, window by window.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/progress.h"
#include "genotypes/imputation/checks/map_comparison.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/record_merger.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/contig/window_reader.h"
#include "genotypes/imputation/plan/impute_job.h"
#include "genotypes/imputation/plan/run_plan.h"
#include "genotypes/imputation/stages/window_model.h"
#include "genotypes/variant_io/reading/marker_source.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

// A contig, or a part of one. Everything that it refers to must outlive the run.
struct ContigInput {
  PanelMarkerSource& panel;  // at the first marker of the contig
  StudyMarkerSource& study;  // the same
  GeneticMap map = GeneticMap::Uniform();
  WindowLengths windows;
  OverlapFiles files;                      // for messages; files.contig is the name of the contig in the output
  ContigPart part = {};                    // that is imputed, and that the sources are in
  int64_t last_position = 0;               // bp, the last of the panel or the contig; 0 if unknown
  TransmissionPhaser* families = nullptr;  // null without a pedigree
  std::string progress = "";               // title of the progress bar ("imputing chr20"); none if empty
  RunJournal* journal = nullptr;           // of a run that resumes, or null
};

class ContigRun {
 public:
  // All arguments must outlive the run. Throws InputError if the memory that the job allows is too little.
  ContigRun(const ImputeJob& job, const RunPlan& plan, const WindowModel& model, const ContigInput& input,
            StudyOutput& output);

  // Moves to the first window of the job's region, and writes the records of the contig. Throws InputError if study and
  // panel share too little (panel_overlap.h), as soon as that is known.
  ContigReport Run();

 private:
  // Returns the families of the study that have people of the panel, or null.
  const Pedigree* PanelRelatives() const;
  WindowLimits Limits() const;
  size_t MaxDosageBytes() const;
  void Read();
  void OnRead();
  void NoteFewTyped(const Window& window, size_t typed);
  std::function<void(double)> OnProgress(MarkerRange wanted);
  void ImputeAndWrite();
  WindowStudy TypedStudy(int64_t last, MarkerRange wanted);
  WindowResult Impute(const WindowStudy& study, MarkerRange core, MarkerRange wanted);
  std::optional<StudyOnlyDosages> ImputeStudyOnlyUntil(int64_t last, int64_t end, std::string& orders);
  bool IsReplaying() const { return input_.journal != nullptr && input_.journal->IsReplaying(); }
  void LearnAndWrite(WindowResult found, int64_t last);
  void Replay(int64_t last);
  void EndPart();
  void GoOnAfter(const JournalEntry& entry);
  ContigTotals Totals() const;
  void WriteStudyAlone(int64_t end);
  void WriteStudy(int64_t last);
  void SetTotal(int64_t last_position);
  void ShowProgress(int64_t position);
  void SetRegionToDo() const;
  void CheckOverlap(bool is_whole) const;
  void CheckMap() const;
  ContigReport Report() const;

  const ImputeJob& job_;
  const RunPlan& plan_;
  const WindowModel& model_;
  const ContigInput& input_;
  StudyOutput& output_;
  const int64_t first_position_;  // first position of the panel, bp
  const int64_t begin_;           // first position to write, bp
  const int64_t end_;             // last position to write, bp
  int64_t next_study_only_;       // bp, from which on markers that the panel does not have are to be imputed
  int64_t phased_until_ = 0;      // bp, up to which unphased genotypes from begin_ on have the order of the output
  ContigBuffer buffer_;
  std::optional<AdaptedArray> array_;  // that the panel is adapted to
  MapComparison map_comparison_;
  WindowReader reader_;
  RecordMerger merger_;
  StudyFit fit_;
  PhaseErrorCounts phase_errors_;
  ContigTotals earlier_;  // of the run that this one goes on after
  FewTyped few_typed_, lone_typed_;
  std::optional<Progress> progress_;  // Mb from the first position that is written to the last
};

}  // namespace haplospin
