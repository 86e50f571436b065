// Phases one sample: the states it may copy, the order of sweeps, and what they add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/haplotype_matches.h"
#include "imputation/copying/panel_populations.h"
#include "imputation/phasing/diploid_sample.h"
#include "imputation/phasing/pair_sampler.h"
#include "imputation/phasing/phase_alternatives.h"

namespace haplospin {

struct PhasingOptions {
  size_t first_states = 1024;  // evenly spaced haplotypes, until there is a phase to find matches of
  size_t states = 512;         // composites of the haplotypes that match either haplotype of a sample
  MatchOptions matches;
  float rate_multiplier = 1;  // of the panel's switch probabilities
  float mismatch_probability = 3e-3f;
  int first_sweeps = 3;       // over the evenly spaced haplotypes
  int population_sweeps = 4;  // over matches of that phase; the last two count what is copied
  int burn_in = 3;            // sweeps over matches of the phase then, before those that count
  int sweeps = 16;            // that are averaged
  AlternativeOptions alternatives;
  uint64_t seed = 1;
};

// Data shared by all samples of a window.
struct PhasingContext {
  const HaplotypeRows& reference;
  const CopyingModel& model;
  const PanelPopulations* populations;     // of the reference; null: every haplotype is as probable a source
  const std::vector<uint32_t>& sample_of;  // of each reference haplotype, in `populations`
  const PhasingOptions& options;
};

// What is known of a sample's phase, beyond the most probable one, which is in the sample.
struct PhaseDraws {
  std::vector<float> cis_probability;  // [hets] see PairSampler
  std::vector<std::vector<bool>> cis;  // [sweeps][hets] phases drawn from the posterior distribution
};

// Workspace of one thread.
class SamplePhaser {
 public:
  explicit SamplePhaser(const PhasingContext& context) : context_(context) {}

  // The stages, in this order; before the second and the third, the caller finds the matches of both haplotypes of the
  // present phase.
  void FindFirstPhase(DiploidSample& sample, RandomStream random);
  PopulationMixture FindPopulations(DiploidSample& sample, std::span<const HaplotypeMatch> matches,
                                    RandomStream random);
  PhaseDraws Draw(DiploidSample& sample, std::span<const HaplotypeMatch> matches, const PopulationMixture& mixture,
                  RandomStream random);

 private:
  void UseEvenlySpaced();
  void SetStates(const PopulationMixture* mixture);
  void SetPriors(const PopulationMixture& mixture);

  const PhasingContext& context_;
  CopyingStates composites_;
  PhasingStates states_;
  PairSampler sampler_;
  std::vector<float> copied_;  // [reference haplotypes]
};

}  // namespace haplospin
