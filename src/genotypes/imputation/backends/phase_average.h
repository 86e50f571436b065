// Averages the imputed probabilities over the versions of a sample's phase.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/network/window_alleles.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

// The probabilities that a backend finds for one target.
struct TargetProbabilities {
  std::vector<float> minor;     // [markers to impute] of the minor allele, which is 0 or 1 where it is given
  std::vector<float> left_out;  // [typed] of ALT, given all other alleles of the target
};

// Sets the rows of a sample's haplotypes, `first_haplotype` and the next, to the averages over the versions of its
// phase. Given alleles are kept. `alleles` are those of the window's markers to impute, `targets` are those of the
// sample; `dosages` must have typed probabilities.
void SetRows(const PanelWindow& window, const WindowAlleles& alleles, const SampleTargets& sample,
             std::span<const TargetProbabilities> targets, size_t first_haplotype, WindowDosages& dosages);

}  // namespace haplospin
