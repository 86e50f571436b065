// Errors of phase in a phased study: where the haplotypes of a sample fit the panel far better if their alleles are
// exchanged from there on. Errors are corrected, and doubts are left as a second version of the sample's phase.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/models/phasing/sample_targets.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

// The decision whether there is an error at a heterozygote, from which on the haplotypes are then exchanged.
struct PhaseDecision {
  static constexpr double kDoubt = 2;  // log odds closer to 0 than this leave a doubt

  size_t het;
  double log_odds;  // log odds of an error

  bool IsError() const { return log_odds > 0; }
  bool IsDoubtful() const { return std::abs(log_odds) < kDoubt; }

  // Takes the square root of the odds, because the markers around a heterozygote are not independent evidence. This
  // imputes better than the odds.
  double OppositeProbability() const { return 1 / (1 + std::exp(std::abs(log_odds) / 2)); }
};

// Makes the corrected phase the most probable one of the sample; the output keeps the given phase. Where there are
// doubts, a second version has the opposite decision at each of them, and the probability of that decision as its
// weight around it. `decisions` must be ascending, and the sample must have one version; `switch_probability` is that
// of a CopyingModel.
void SetVersions(std::span<const PhaseDecision> decisions, std::span<const float> switch_probability,
                 SampleTargets& sample);

// The likelihood ratio of an error at a heterozygote: the likelihood of the haplotypes with their alleles exchanged
// from there on, divided by that of the given haplotypes.
struct PhaseRatio {
  size_t het;  // typed marker
  double log;  // natural logarithm of the ratio
};

// The evidence for errors in a phase of a sample.
struct PhaseEvidence {
  size_t num_hets = 0;             // heterozygotes that were examined
  std::vector<PhaseRatio> ratios;  // large ratios that are not close to a larger one, descending
};

// Returns the evidence in the ratios at all heterozygotes.
PhaseEvidence SummarizeEvidence(std::vector<PhaseRatio> ratios);

// Estimates the probability of an error at a heterozygote from the evidence of many samples, by
// expectation-maximization.
double EstimatePhaseErrorRate(std::span<const PhaseEvidence> samples);

// What the samples of a batch are examined with. Sample s has the states of targets selected[s] and selected[s] + 1 of
// `selection`. The model must have the switch probabilities that were estimated, because larger ones hide errors.
struct PhaseSearch {
  const TypedPanel& panel;
  const CopyingModel& model;
  const StateSelection& selection;
  std::span<const size_t> selected;
};

// A phase of a sample of a batch.
struct ExaminedPhase {
  const PhaseSearch* search;  // of the batch
  size_t sample;
  std::span<const TargetHaplotype> haplotypes;  // [2]

  bool IsHeterozygous(size_t j) const;  // at typed marker j
};

// Returns the evidence in each phase. Runs on all threads; the result does not depend on their number.
std::vector<PhaseEvidence> ExaminePhases(std::span<const ExaminedPhase> phases);

using PhaseExaminer = std::function<std::vector<PhaseEvidence>(std::span<const ExaminedPhase> phases)>;

// The samples of a batch, and what they are examined with.
struct SearchedBatch {
  PhaseSearch search;
  std::span<SampleTargets> samples;
};

// Corrects the samples whose phase was given: errors with log odds of at least `min_log_odds`, as in SetVersions(). The
// samples of all batches are examined together, and those with errors again after each round of corrections. The rate
// of errors is that of each batch.
void CorrectPhaseErrors(std::span<const SearchedBatch> batches, double min_log_odds,
                        const PhaseExaminer& examine = ExaminePhases);

// Counts the errors that were corrected, and the heterozygotes, at typed markers [begin, end).
PhaseErrorCounts CountPhaseErrors(std::span<const SampleTargets> samples, size_t begin, size_t end);

}  // namespace haplospin
