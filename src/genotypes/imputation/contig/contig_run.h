// Imputes or phases one contig, window by window.
#pragma once

#include <cstdint>
#include <string>

#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/contig/contig_checks.h"
#include "genotypes/imputation/contig/contig_input.h"
#include "genotypes/imputation/contig/contig_progress.h"
#include "genotypes/imputation/contig/record_merger.h"
#include "genotypes/imputation/contig/run_journal.h"
#include "genotypes/imputation/contig/run_report.h"
#include "genotypes/imputation/contig/study_output.h"
#include "genotypes/imputation/contig/window_imputer.h"
#include "genotypes/imputation/contig/window_reader.h"
#include "genotypes/imputation/plan/study_facts.h"
#include "genotypes/imputation/window/marker_range.h"

namespace haplospin {

class ContigRun {
 public:
  // All arguments must outlive the run. Throws InputError if the memory that the job allows is too little.
  ContigRun(const ImputeJob& job, const StudyFacts& facts, const Imputer& imputer, const ContigInput& input,
            StudyOutput& output);

  // Moves to the first window of the job's region, and writes the records of the contig. Throws InputError if study and
  // panel share too little (panel_overlap.h), as soon as that is known.
  ContigReport Run();

 private:
  void Read();
  void ImputeAndWrite();
  bool HasNobodyToCopy() const;
  void LearnAndWrite(const WindowState& window, int64_t last);
  void WriteStudyAlone(int64_t end);
  void WriteStudy(int64_t last);
  void WriteUndosed(MarkerRange wanted, int64_t last, bool is_as_given);

  bool IsReplaying() const { return input_.journal != nullptr && input_.journal->IsReplaying(); }
  void Replay(int64_t last);
  void EndPart();
  void GoOnAfter(const JournalEntry& entry);
  ContigTotals Totals() const;

  const ImputeJob& job_;
  const ContigInput& input_;
  StudyOutput& output_;
  const ContigRange range_;
  ContigBuffer buffer_;
  WindowImputer imputer_;
  ContigChecks checks_;
  WindowReader reader_;
  RecordMerger merger_;
  ContigProgress progress_;
  int64_t next_study_only_;   // bp, from which on markers that the panel does not have are to be imputed
  int64_t phased_until_ = 0;  // bp, up to which unphased genotypes have the order of the output
  MarkerCounts earlier_;      // of the run that this one goes on after
};

}  // namespace haplospin
