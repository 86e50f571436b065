// Phases one sample: the states it may copy, the order of sweeps, and what they add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/haplotype_matches.h"
#include "imputation/copying/panel_populations.h"
#include "imputation/phasing/diploid_sample.h"
#include "imputation/phasing/pair_sampler.h"
#include "imputation/phasing/phase_alternatives.h"

namespace haplospin {

struct PhasingRates {
  float multiplier;  // of the panel's switch probabilities
  float mismatch_probability;
};

struct PhasingOptions {
  size_t first_states = 512;  // evenly spaced panel haplotypes, until there is a phase to find matches of
  size_t states = 512;        // composites of the haplotypes that match either haplotype of a sample
  MatchOptions matches;
  PhasingRates rates = {1, 3e-3f};  // before the rounds of draws
  int first_sweeps = 2;             // over the evenly spaced haplotypes
  int random_rounds = 12;           // without a panel: from random phases on, over evenly spaced study haplotypes,
  int study_rounds = 12;            // then over matches
  int study_sweeps = 4;             // of such a round
  int population_sweeps = 3;        // over matches of that phase; the last two count what is copied
  // Rounds of draws, each over matches of the phase then. Their mean depends less on the rates than one model does.
  std::vector<PhasingRates> rounds = {{1, 1e-3f}, {1, 6e-3f}, {1.5f, 1e-3f}, {1.5f, 6e-3f}};
  int burn_in = 1;            // sweeps of a round before those that count
  int sweeps = 12;            // of a round that are averaged
  float min_study_share = 1;  // samples copy each other if their haplotypes are this share of the panel's number,
  size_t max_group = 8192;    // in groups of at most so many samples, so that memory and time per sample are bounded
  AlternativeOptions alternatives;
  uint64_t seed = 1;
};

// Data shared by all samples of a window.
struct PhasingContext {
  const HaplotypePanel& panel;
  const GeneticMap& map;
  const TypedPanel* array;                 // the panel at the typed markers; null: it has no haplotypes
  const CopyingModel* model;               // estimated from it with `copying`, or null
  const PanelPopulations* populations;     // of the panel; null: every haplotype is as probable a source
  const std::vector<uint32_t>& sample_of;  // of each panel haplotype, in `populations`
  const CopyingOptions& copying;
  const PhasingOptions& options;
  double work = 1;  // of a sample's work as progress is reported (WindowStudy), that which is phasing
};

// What a sample may copy, and how.
struct PhasingSources {
  const HaplotypeRows& haplotypes;
  std::span<const HaplotypeMatch> matches;  // of both haplotypes of the sample
  const ExcludedHaplotypes& own;            // which it must not copy
  const CopyingModel& model;
};

// What is known of a sample's phase, beyond the most probable one, which is in the sample.
struct PhaseDraws {
  std::vector<float> cis_probability;  // [hets] see PairSampler
  std::vector<std::vector<bool>> cis;  // [sweeps][hets] phases drawn from the posterior distribution
};

// Gives the sample the phase that most draws agree on.
void SetMostProbablePhase(PhaseDraws& draws, DiploidSample& sample);

// Workspace of one thread.
class SamplePhaser {
 public:
  explicit SamplePhaser(const PhasingContext& context) : context_(context) {}

  // The stages, in this order. The matches are those of the present phase, which the first stage does not need: it
  // copies evenly spaced haplotypes. Improve() and Draw() may be called several times; Draw() adds to `draws`.
  void FindFirstPhase(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  void Improve(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  PopulationMixture FindPopulations(DiploidSample& sample, const PhasingSources& sources, RandomStream random);
  void Draw(DiploidSample& sample, const PhasingSources& sources, const PopulationMixture& mixture, RandomStream random,
            PhaseDraws& draws);

 private:
  void Start(DiploidSample& sample, const PhasingSources& sources, const PopulationMixture* mixture);
  void SetStates(const PopulationMixture* mixture);
  void SetPriors(const PopulationMixture& mixture);

  const PhasingContext& context_;
  CopyingStates composites_;
  PhasingStates states_;
  PairSampler sampler_;
  std::vector<float> copied_;  // [reference haplotypes]
};

}  // namespace haplospin
