// What happens to a window, step by step. plan/window_plan.h has the steps of each kind of study, in order; each step
// has a section of its name in docs/method.md.
#pragma once

#include <cstddef>

#include "genotypes/imputation/window/dosage_columns.h"
#include "genotypes/imputation/window/window_state.h"
#include "genotypes/variant_io/reading/marker_source.h"

namespace haplospin {

// The number of threads for whose tables memory is reserved, whatever the number that runs, because windows and results
// must not depend on that. It is the most that docs/clusters.md recommends; more threads may exceed --memory.
inline constexpr int kPlannedThreads = 8;

// The sizes that a stage's memory depends on.
struct WindowSize {
  PanelContent panel;
  size_t panel_samples = 0;
  size_t study_samples = 0;
  size_t study_haplotypes = 0;
};

// Bytes that a stage takes beside the panel, the study and the dosages of a window.
struct StageMemory {
  size_t shared = 0;         // by all threads
  size_t thread = 0;         // of each thread
  size_t dosage_marker = 0;  // of each marker whose dosages are found, as long as they are kept

  StageMemory& operator+=(const StageMemory& other) {
    shared += other.shared;
    thread += other.thread;
    dosage_marker += other.dosage_marker;
    return *this;
  }
};

// Changes a window as a whole. A stage runs on all threads; its result does not depend on their number.
class Stage {
 public:
  virtual ~Stage() = default;

  // The name of its section; of several that run together, batch by batch, all names.
  virtual const char* name() const = 0;

  // Returns whether there is anything to do, which only the window can tell.
  virtual bool Applies(const WindowState& /*window*/) const { return true; }

  // Whether its results depend on the dosages of all markers of the core, so that these must be found.
  virtual bool NeedsCore() const { return false; }

  virtual StageMemory Memory(const WindowSize& /*size*/) const { return {}; }

  // Bytes of a marker that takes part in phasing, where these bound the number of markers of a window; 0 where they do
  // not. A size of 0 haplotypes is that of no panel.
  virtual size_t BytesOfMarker(const WindowSize& /*size*/) const { return 0; }

  // Bytes of the dosages of a marker, if a compressed one takes `compressed_bytes`.
  virtual size_t BytesOfDosages(size_t study_haplotypes, double compressed_bytes) const {
    return ProbabilityTable::BytesOfMarker(study_haplotypes, compressed_bytes);
  }

  virtual void Run(WindowState& window) const = 0;
};

// Changes the columns of some markers when they are written, so that the table of all of them stays packed.
class ColumnStage {
 public:
  virtual ~ColumnStage() = default;

  virtual const char* name() const = 0;
  virtual bool Applies(const WindowState& /*window*/) const { return true; }

  // `window` is done. Several threads may call it.
  virtual void Run(const WindowState& window, DosageColumns& columns) const = 0;
};

}  // namespace haplospin
