// Carries out the rounds of a phasing plan for a group of samples at some markers of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/phase_draws.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "genotypes/imputation/stages/phasing/identical_stretches.h"
#include "genotypes/imputation/stages/phasing/phasing_plan.h"
#include "genotypes/imputation/stages/phasing/phasing_reference.h"
#include "genotypes/imputation/window/panel_estimates.h"
#include "genotypes/imputation/window/panel_window.h"
#include "genotypes/imputation/window/window_study.h"

namespace haplospin {

// Samples that are phased together.
struct SampleGroup {
  SampleRange range;          // samples that may copy each other
  std::vector<size_t> index;  // samples of the range whose phase or missing alleles are found, ascending
};

// What is to be done in one chain. Random draws depend on the seed, the chain, the round and the name of a sample.
struct PhasingTask {
  const PanelWindow& window;        // its typed markers are those that take part
  const PanelEstimates* estimates;  // of the panel; null if the plan copies none
  const WindowStudy& study;         // at these markers
  const SampleGroup& group;
  const PhasingPlan& plan;
  const PhasingSchedule& schedule;
  RateFactors factors;  // of the markers
  uint64_t seed;
  double work;                           // share of phasing in the progress of a sample
  const std::vector<bool>& is_left_out;  // [index] not copied by the others; empty: all are copied
  size_t chain = 0;
  std::span<const std::vector<IdenticalStretch>> identical = {};  // [index] not copied by the improvement; empty: none
};

// Samples in their present phase, the haplotypes of all of them, with those of the panel if it was copied, and the
// copying model.
struct PhasedHaplotypes {
  std::vector<SampleGenotypes> samples;  // [index]
  PhasingReference reference;
  CopyingModel model;
};

// Both run on all threads; the results do not depend on their number.

// Returns first haplotypes of the samples, of which there must be at least one, after the rounds of improvement. Where
// first haplotypes tell the probabilities of missing alleles, these are added to `draws`, [index].
PhasedHaplotypes FindHaplotypes(const PhasingTask& task, std::vector<SampleGenotypes> samples,
                                std::span<PhaseDraws> draws);

// Adds draws of the phase of the samples, starting from the present one, to `draws`, [index]. Returns the last of them.
PhasedHaplotypes DrawHaplotypes(const PhasingTask& task, std::vector<SampleGenotypes> samples,
                                std::span<PhaseDraws> draws);

// Returns the model with other rates, by which the switch probabilities that were estimated are multiplied.
CopyingModel WithRates(const PhasingRates& rates, CopyingModel estimated);

}  // namespace haplospin
