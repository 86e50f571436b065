// Imputes or phases one contig, window by window.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/progress.h"
#include "genotypes/genomics/windows.h"
#include "genotypes/imputation/adapt/adapted_array.h"
#include "genotypes/imputation/checks/map_fit.h"
#include "genotypes/imputation/imputing/window_model.h"
#include "genotypes/imputation/run/contig_buffer.h"
#include "genotypes/imputation/run/impute_job.h"
#include "genotypes/imputation/run/window_writer.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

class ContigRun {
 public:
  // The readers must be at the first record of the contig; they are moved to the first window of the job's region.
  // files.contig is the name of the contig in the output. `last_position`, bp, is the last of the panel or the contig,
  // or 0 if unknown. Only `part` of the contig is imputed, which the readers must be in. `verb` is for the progress bar
  // ("imputing"). Everything passed by reference or pointer must outlive the run.
  ContigRun(const ImputeJob& job, const WindowModel& model, PanelReader& panel_reader, StudyReader& study_reader,
            TransmissionPhaser* families, const OverlapFiles& files, const ContigPart& part, int64_t last_position,
            std::unique_ptr<WindowWriter> writer, const std::string& verb);

  // Throws InputError if study and panel share too little (panel_overlap.h), as soon as that is known.
  void Run();

  ImputeCounts counts() const;
  const AlignmentCounts& alignment() const { return buffer_.alignment(); }
  const PanelOverlap& overlap() const { return buffer_.overlap(); }
  const ContigPhase& phase() const { return buffer_.phase(); }
  const StudyFit& fit() const { return fit_; }
  ArrayAgreement array_agreement() const { return array_ ? array_->agreement() : ArrayAgreement(); }
  const PhaseErrorCounts& phase_errors() const { return phase_errors_; }

 private:
  Window First() const;
  Window Next(const Window& previous) const;
  void GoToRegion(Window& window);
  void SetRegionToDo(const Window& window) const;
  void Read(Window& window);
  void ReadUntil(int64_t position);
  void ReadWindow(const Window& window);
  void LimitFlank(Window& window) const;
  void ShortenToMarkers(Window& window) const;
  void ReadTyped(Window& window);
  void WarnOfFewTyped(const Window& window, size_t typed) const;
  void ShortenToMemory(Window& window) const;
  std::function<void(double)> OnProgress(MarkerRange wanted, size_t num_samples);
  void ImputeAndWrite(const Window& window);
  bool HasWholePanel(const Window& window) const;
  std::optional<StudyOnlyDosages> ImputeStudyOnlyUntil(int64_t last, int64_t end);
  void WriteStudyAlone(int64_t end);
  void WriteStudy(int64_t last);
  size_t MaxDosageBytes(const PanelReader& panel, int64_t last_position) const;
  void SetTotal(int64_t last_position);
  void ShowProgress(int64_t position);
  void Forget(const Window& next);
  void CheckOverlap(bool is_whole) const;

  const ImputeJob& job_;
  const WindowModel& model_;
  const OverlapFiles files_;
  const ContigPart part_;
  const GeneticMap map_;
  const int64_t first_position_;  // first position of the panel, bp
  const int64_t begin_;           // first position to write, bp
  const int64_t end_;             // last position to write, bp
  size_t max_dosage_bytes_;
  size_t max_markers_;             // most markers of a window that phasing alone imputes
  double largest_compressed_ = 0;  // most bytes of a compressed dosage in earlier windows
  int64_t next_study_only_ = 0;    // bp, from which on markers that the panel does not have are to be imputed
  int64_t phased_until_ = 0;       // bp, up to which unphased genotypes from begin_ on have the order of the output
  ContigBuffer buffer_;
  const std::vector<uint8_t> missing_;  // [study haplotypes] the alleles of a marker that the study does not have
  std::optional<AdaptedArray> array_;   // that the panel is adapted to
  MapFit map_fit_;
  StudyFit fit_;
  PhaseErrorCounts phase_errors_;
  const std::unique_ptr<WindowWriter> writer_;
  Progress progress_;  // Mb from the first position that is written to the last
};

}  // namespace haplospin
