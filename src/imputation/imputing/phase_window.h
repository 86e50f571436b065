// The window model of `haplospin phase`: phases, and imputes nothing but missing genotypes.
#pragma once

#include "imputation/copying/copying_model.h"
#include "imputation/imputing/window_model.h"
#include "imputation/phasing/sample_phaser.h"

namespace haplospin {

// Its dosages are those of the typed markers alone: the alleles of the most probable phase, and the probability of ALT
// where they are missing.
class PhasingModel : public WindowModel {
 public:
  explicit PhasingModel(const PhasingOptions& phasing, const CopyingOptions& copying = {})
      : phasing_(phasing), copying_(copying) {}

  WindowDosages Impute(const HaplotypePanel& panel, const GeneticMap& map, const WindowStudy& study, MarkerRange core,
                       MarkerRange wanted) const override;

  bool AcceptsUnphased() const override { return true; }

 private:
  PhasingOptions phasing_;
  CopyingOptions copying_;
};

}  // namespace haplospin
