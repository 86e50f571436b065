// The last stages of a window, which change probabilities and calls as they are written.
#pragma once

#include "genotypes/imputation/stages/stage.h"

namespace haplospin {

// Adds the errors that are expected of a panel that is adapted to the study's array.
class ArrayStage : public ColumnStage {
 public:
  const char* name() const override { return "array"; }
  bool Applies(const WindowState& window) const override { return window.array.has_value(); }
  void Run(const WindowState& window, DosageColumns& columns) const override;
};

// Lets the probabilities of the alleles of one position sum to at most 1 (window/allele_sums.h).
class SumsStage : public ColumnStage {
 public:
  const char* name() const override { return "sums"; }
  void Run(const WindowState& window, DosageColumns& columns) const override;
};

// Calls missing alleles as the most probable genotype of their sample. Inbred lines are an exception, because their two
// haplotypes are equal, and so are the alleles of one position, of which no haplotype has two: there, as without this
// stage, each allele is the more probable one of its haplotype.
class CallStage : public ColumnStage {
 public:
  const char* name() const override { return "call"; }
  bool Applies(const WindowState& window) const override { return window.study.IsOutbred(); }
  void Run(const WindowState& window, DosageColumns& columns) const override;
};

}  // namespace haplospin
