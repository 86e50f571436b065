// The seam between a window and what imputes it: the vector kernels of the CPU (cpu_backend.h), or a GPU
// (imputation/backends/gpu/gpu_backend.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/phase_errors/phase_errors.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/imputed_markers.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Study samples that are imputed together, and the reference haplotypes that match theirs.
struct SampleBatch {
  size_t first_sample = 0;  // index in the study
  std::vector<SampleTargets> samples;
  CopyingModel model;  // has the mismatch probability of these samples

  // The matches of the most probable haplotypes: those of sample s are targets selected[s] and the next of `selection`.
  std::shared_ptr<const StateSelection> selection;
  std::vector<size_t> selected;
};

// A window on a backend. All calls are made by one thread.
class BackendWindow {
 public:
  virtual ~BackendWindow() = default;

  // As ExaminePhases() of phase_errors.h; the models must have PanelCopying::last_round's switch probabilities.
  virtual std::vector<PhaseEvidence> ExaminePhases(std::span<const ExaminedPhase> phases) {
    return haplospin::ExaminePhases(phases);
  }

  // Sets the rows of a batch in the dosages, at once or in the background.
  virtual void Impute(std::unique_ptr<const SampleBatch> batch) = 0;

  // Waits until the rows of all batches are set.
  virtual void Finish() {}
};

// The inputs and outputs of a window. All members must outlive the BackendWindow.
struct WindowTask {
  const PanelWindow& panel;
  const PanelEstimates& estimates;
  const ImputedMarkers& markers;
  const WindowStudy& study;
  WindowDosages& dosages;                               // must have typed probabilities; alt and left_out are set
  std::function<void(const SampleTargets&)> on_sample;  // called by any thread for each sample whose rows are set
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::unique_ptr<BackendWindow> Start(const WindowTask& task) = 0;

  // Batches that should be examined together.
  virtual size_t BatchesAtATime() { return 1; }

  // Memory of the host that it takes beside the window, in bytes.
  virtual size_t HostBytes() { return 0; }
};

}  // namespace haplospin
