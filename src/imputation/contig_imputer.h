// Imputes one contig: keeps the panel and the study around the present window in memory and moves on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/progress.h"
#include "genomics/panel_alignment.h"
#include "genomics/windows.h"
#include "haplospin/genetic_map.h"
#include "imputation/imputer.h"
#include "variant_io/reading/panel_reader.h"
#include "variant_io/reading/study_reader.h"

namespace haplospin {

class ContigImputer {
 public:
  // The readers stand at the contig's first record, from where they are sent to the first window of the job's region.
  // `output_contig` is the contig's name in the output.
  ContigImputer(const ImputeJob& job, const WindowModel& model, PanelReader& panel_reader, StudyReader& study_reader,
                std::string output_contig, DosageWriter& writer);

  void Run(Progress& progress);

  const ImputeCounts& counts() const { return counts_; }
  const AlignmentCounts& alignment() const { return alignment_counts_; }

 private:
  Window FirstOfRegion();
  void ReadUntil(int64_t position);
  void ReadTyped(Window& window);
  void ShortenToMemory(Window& window) const;
  WindowStudy TypedStudy(const Window& window) const;
  void ImputeAndWrite(const Window& window);
  void WriteRecords(const Window& window, const WindowDosages& dosages);
  void Forget(const Window& next);
  size_t FirstMarkerFrom(int64_t position) const;
  size_t MarkersUntil(int64_t position) const;

  const ImputeJob& job_;
  const WindowModel& model_;
  PanelReader& panel_reader_;
  StudyReader& study_reader_;
  const std::string output_contig_;
  DosageWriter& writer_;
  const GeneticMap map_;

  // What to write, bp.
  int64_t begin_ = 1;
  int64_t end_ = INT64_MAX;

  // What is in memory.
  HaplotypePanel panel_;
  StudyGenotypes study_;
  std::vector<uint32_t> panel_marker_;  // of each study marker
  bool panel_ended_ = false;
  size_t study_written_ = 0;  // study markers that precede the next window's core

  AlignmentCounts alignment_counts_;
  ImputeCounts counts_;
};

}  // namespace haplospin
