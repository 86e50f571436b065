// Phases one sample at a time: chooses the states it may copy, runs the sweeps of the sampler, and averages them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/copying/copying_model.h"
#include "genotypes/imputation/copying/copying_states.h"
#include "genotypes/imputation/copying/haplotype_matches.h"
#include "genotypes/imputation/copying/panel_populations.h"
#include "genotypes/imputation/phasing/sample/het_matches.h"
#include "genotypes/imputation/phasing/sample/pair_sampler.h"
#include "genotypes/imputation/phasing/sample/phase_draws.h"
#include "genotypes/imputation/phasing/sample/sample_genotypes.h"

namespace haplospin {

// The number of sweeps of each stage.
namespace phasing_sweeps {
inline constexpr int kFirst = 2;           // copying evenly spaced haplotypes
inline constexpr int kImprove = 2;         // copying the matches of the present phase
inline constexpr int kImproveOfStudy = 1;  // the same without a panel, where there are more rounds
inline constexpr int kPopulations = 3;     // copying matches; the last two count the copied haplotypes
inline constexpr int kBurnIn = 1;          // burn-in of Draw()
inline constexpr int kDraw = 12;           // sweeps that Draw() averages
inline constexpr int kDrawOfStudy = 4;     // those without a panel
}  // namespace phasing_sweeps

// The haplotypes that a sample may copy, and the copying model.
struct PhasingSources {
  const HaplotypeRows& haplotypes;
  std::span<const HaplotypeMatch> matches;  // matches of both haplotypes of the sample
  const HetMatches& het_matches;            // the same around its heterozygotes
  const ExcludedHaplotypes& own;            // the sample's own haplotypes, which it must not copy
  const CopyingModel& model;
  size_t max_states;  // most composites of the matches
  const ImputedAlts& imputed;
};

// Phases one sample after the other, on one thread.
class SamplePhaser {
 public:
  // `populations` are those of the panel, and must outlive the object. If null, all haplotypes are equally probable
  // sources.
  explicit SamplePhaser(const PanelPopulations* populations) : populations_(populations) {}

  // The stages, in this order. `sources` has the matches of the present phase, except in the first stage, which copies
  // evenly spaced haplotypes. Improve() and Draw() may be called several times; Draw() adds the phases of its
  // sweeps to `draws`.
  void FindFirstPhase(SampleGenotypes& sample, const PhasingSources& sources, RandomStream random);
  void Improve(SampleGenotypes& sample, const PhasingSources& sources, int sweeps, RandomStream random);
  PopulationMixture FindPopulations(SampleGenotypes& sample, const PhasingSources& sources, RandomStream random);
  void Draw(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture& mixture, int sweeps,
            RandomStream random, PhaseDraws& draws);

 private:
  void Start(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture* mixture);
  void ImputeMissing(SampleGenotypes& sample) const;
  void SetStates(const PhasingSources& sources, const PopulationMixture* mixture);
  void SetPriors(const PopulationMixture& mixture);

  const PanelPopulations* populations_;
  CopyingStates composites_;
  PhasingStates states_;
  PairSampler sampler_;
  std::vector<float> copied_;  // [reference haplotypes]
};

}  // namespace haplospin
