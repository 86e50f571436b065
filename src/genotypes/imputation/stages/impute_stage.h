// The stages of a window that are done batch by batch, so that the matches of the next samples are searched while a
// network imputes: the samples are phased, errors in their given phase are corrected, and untyped markers are imputed.
#pragma once

#include <memory>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/stages/phase_stage.h"
#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// Finds the dosages with the copying model and the network. Alleles that the study has are kept; their left-out
// probabilities are those of the copying model. The panel must have haplotypes.
class ImputeStage : public Stage {
 public:
  // The backend must outlive the stage.
  ImputeStage(Backend& backend, const StudyPhasing& phasing) : backend_(backend), phasing_(phasing) {}

  const char* name() const override { return "phase correct impute"; }
  StageMemory Memory(const WindowSize& size) const override;
  void Run(WindowState& window) const override;

 private:
  Backend& backend_;
  const StudyPhasing phasing_;
};

}  // namespace haplospin
