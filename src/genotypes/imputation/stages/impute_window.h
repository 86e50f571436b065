// The default imputer: phases what is not phased, and imputes with the copying model and the network.
#pragma once

#include <memory>
#include <utility>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/stages/phasing/study_phase.h"
#include "genotypes/imputation/stages/window_model.h"

namespace haplospin {

// Phases the samples that are not phased, and imputes the wanted markers of the window on all threads; the result does
// not depend on their number. Alleles that the study has are kept; their left-out probabilities are those of the
// copying model. The panel must have haplotypes.
WindowDosages ImputeWindow(const WindowInput& input, Backend& backend, const PhasingOptions& phasing = {});

class ImputerModel : public WindowModel {
 public:
  explicit ImputerModel(std::unique_ptr<Backend> backend, const PhasingOptions& phasing = {})
      : WindowModel({.accepts_unphased = true, .uses_adaptation = true}),
        backend_(std::move(backend)),
        phasing_(phasing) {}

  WindowDosages Impute(const WindowInput& window) const override { return ImputeWindow(window, *backend_, phasing_); }

 private:
  std::unique_ptr<Backend> backend_;
  PhasingOptions phasing_;
};

}  // namespace haplospin
