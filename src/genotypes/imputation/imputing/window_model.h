// The interface of models that impute the windows of a contig: the default imputer, or another architecture.
#pragma once

#include <cstddef>
#include <optional>

#include "genotypes/genomics/sites/region.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

class WindowModel {
 public:
  virtual ~WindowModel() = default;

  // Imputes the wanted markers of the window, which are a part of `core`. A model that divides the core into smaller
  // windows starts from the beginning of the core, so that the results do not depend on what is wanted. Throws
  // InputError if the model was trained for other sites.
  virtual WindowDosages Impute(PanelWindow& window, const WindowStudy& study, MarkerRange core) const = 0;

  // Returns true if the model accepts a study that is not phased.
  virtual bool AcceptsUnphased() const { return false; }

  // Returns true if a panel that is adapted to an array (`panel adapt`) tells how accurate this model is.
  virtual bool IsDefault() const { return false; }

  // Memory that the dosages of a marker take, if a compressed one takes `compressed_bytes`.
  virtual size_t BytesOfMarker(size_t study_haplotypes, double compressed_bytes) const {
    return ProbabilityTable::BytesOfMarker(study_haplotypes, compressed_bytes);
  }

  // The only region that the model can impute, or nothing if it can impute any region.
  virtual std::optional<Region> Coverage() const { return std::nullopt; }
};

}  // namespace haplospin
