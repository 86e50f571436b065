// Imputes one contig, window by window.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/progress.h"
#include "genomics/windows.h"
#include "haplospin/genetic_map.h"
#include "imputation/contig_buffer.h"
#include "imputation/imputer.h"
#include "imputation/window_writer.h"

namespace haplospin {

class ContigImputer {
 public:
  // The readers are at the first record of the contig, and are moved to the first window of the job's region.
  // `output_contig` is the name of the contig in the output.
  ContigImputer(const ImputeJob& job, const WindowModel& model, PanelReader& panel_reader, StudyReader& study_reader,
                const std::string& output_contig, std::unique_ptr<WindowWriter> writer);

  void Run(Progress& progress);

  ImputeCounts counts() const;
  const AlignmentCounts& alignment() const { return buffer_.alignment(); }

 private:
  Window First() const;
  Window Next(const Window& previous) const;
  void GoToRegion(Window& window);
  void Read(Window& window);
  void ReadTyped(Window& window);
  void WarnOfFewTyped(const Window& window, size_t typed) const;
  void ShortenToMemory(Window& window) const;
  void ImputeAndWrite(const Window& window);
  void Forget(const Window& next);

  const ImputeJob& job_;
  const WindowModel& model_;
  const std::string output_contig_;
  const GeneticMap map_;
  const int64_t first_position_;  // of the panel, bp
  const int64_t begin_;           // what to write, bp, both included
  const int64_t end_;
  int64_t phased_until_ = 0;  // bp: unphased genotypes up to it have the order of the output
  ContigBuffer buffer_;
  const std::unique_ptr<WindowWriter> writer_;
};

}  // namespace haplospin
