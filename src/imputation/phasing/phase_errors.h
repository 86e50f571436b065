// Errors of phase in a phased study: where the haplotypes of a sample fit the panel far better if their alleles are
// exchanged from there on.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"
#include "imputation/phasing/sample_targets.h"
#include "imputation/window/window_dosages.h"

namespace haplospin {

// A typed heterozygote, and the logarithm of how many times more likely its sample's haplotypes are if their alleles
// are exchanged from there on.
struct PhaseRatio {
  size_t het;
  double log;
};

// What the haplotypes of a sample tell about the errors of their phase.
struct PhaseEvidence {
  size_t num_hets = 0;             // after the first
  std::vector<PhaseRatio> ratios;  // large ones that are not close to a larger one, the largest first
};

// The probability of an error at a heterozygote, by the evidence of many samples.
double EstimatePhaseErrorRate(std::span<const PhaseEvidence> samples);

// Corrects those of the samples whose phase was given. Sample s has the states of targets selected[s] and the next of
// `selection`; the switch probabilities of the model are as they were estimated, as larger ones hide errors. Errors
// are corrected from `min_log_odds` on, the logarithm of their odds; where these are near the limit, the sample gets a
// second version (phase_decisions.h). Runs on all threads; the result does not depend on their number.
void CorrectPhaseErrors(const TypedPanel& panel, const CopyingModel& model, const StateSelection& selection,
                        std::span<const size_t> selected, double min_log_odds, std::vector<SampleTargets>& samples);

// At typed markers [begin, end).
PhaseErrorCounts CountPhaseErrors(std::span<const SampleTargets> samples, size_t begin, size_t end);

}  // namespace haplospin
