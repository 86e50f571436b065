// The default window model: the copying model finds candidates for each study haplotype, and the network weighs them.
#pragma once

#include <memory>
#include <utility>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/stage_times.h"
#include "imputation/imputing/backend.h"
#include "imputation/imputing/window_model.h"
#include "imputation/phasing/sample_phaser.h"

namespace haplospin {

// Phases the samples that are not phased, and imputes the panel markers of `wanted` on all threads; the result does not
// depend on their number. `copying` is adapted to the size of the panel (ForPanel()). At typed markers, given alleles
// are kept, and their left-out probabilities are those of the copying model. `times`, unless null, receives where the
// time goes.
WindowDosages ImputeWindow(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                           MarkerRange wanted, ImputerBackend& backend, const CopyingOptions& copying = {},
                           const PhasingOptions& phasing = {}, StageTimes* times = nullptr);

class ImputerModel : public WindowModel {
 public:
  explicit ImputerModel(std::unique_ptr<ImputerBackend> backend, const CopyingOptions& copying = {},
                        const PhasingOptions& phasing = {})
      : backend_(std::move(backend)), copying_(copying), phasing_(phasing) {}

  WindowDosages Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study,
                       MarkerRange /*core*/, MarkerRange wanted) const override {
    return ImputeWindow(panel, map, study, wanted, *backend_, copying_, phasing_);
  }

  bool AcceptsUnphased() const override { return true; }

 private:
  std::unique_ptr<ImputerBackend> backend_;
  CopyingOptions copying_;
  PhasingOptions phasing_;
};

}  // namespace haplospin
