// The default imputer: phases what is not phased, and imputes with the copying model and the network.
#pragma once

#include <memory>
#include <utility>

#include "genotypes/imputation/imputing/backend.h"
#include "genotypes/imputation/imputing/window_model.h"
#include "genotypes/imputation/phasing/study/study_phase.h"

namespace haplospin {

// Phases the samples that are not phased, and imputes the wanted markers of the window on all threads; the result does
// not depend on their number. Alleles that the study has are kept; their left-out probabilities are those of the
// copying model.
WindowDosages ImputeWindow(PanelWindow& window, const WindowStudy& study, Backend& backend,
                           const PhasingOptions& phasing = {});

class ImputerModel : public WindowModel {
 public:
  explicit ImputerModel(std::unique_ptr<Backend> backend, const PhasingOptions& phasing = {})
      : backend_(std::move(backend)), phasing_(phasing) {}

  WindowDosages Impute(PanelWindow& window, const WindowStudy& study, MarkerRange /*core*/) const override {
    return ImputeWindow(window, study, *backend_, phasing_);
  }

  bool AcceptsUnphased() const override { return true; }
  bool IsDefault() const override { return true; }

 private:
  std::unique_ptr<Backend> backend_;
  PhasingOptions phasing_;
};

}  // namespace haplospin
