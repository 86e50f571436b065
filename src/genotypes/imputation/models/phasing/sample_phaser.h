// Phases one sample at a time: chooses the states it may copy, runs the sweeps of the sampler, and averages them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/haplotype_matches.h"
#include "genotypes/imputation/models/copying/panel_populations.h"
#include "genotypes/imputation/models/phasing/pair_sampler.h"
#include "genotypes/imputation/models/phasing/phase_draws.h"
#include "genotypes/imputation/models/phasing/read_sampler.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// The haplotypes that a sample may copy, and the copying model.
struct PhasingSources {
  const HaplotypeRows& haplotypes;
  std::span<const HaplotypeMatch> matches;  // matches of both haplotypes of the sample
  const ExcludedHaplotypes& own;            // the sample's own haplotypes, which it must not copy
  const CopyingModel& model;
  size_t max_states;  // most composites of the matches, or evenly spaced haplotypes of the first phase
  const ImputedAlts& imputed;
  std::span<const ExcludedStretch> excluded_stretches;  // ascending by haplotype and marker
};

// Phases one sample after the other, on one thread.
class SamplePhaser {
 public:
  // `populations` are those of the panel, and must outlive the object. If null, all haplotypes are equally probable
  // sources.
  explicit SamplePhaser(const PanelPopulations* populations) : populations_(populations) {}

  // Finds the phase from evenly spaced haplotypes, whatever it is now.
  void FindFirstPhase(SampleGenotypes& sample, const PhasingSources& sources, int sweeps, RandomStream random);

  // The other stages begin with the present phase, of which `sources` has the matches. Draw() adds the phases of its
  // sweeps to `draws`. FindPopulations() needs the populations; the last two of its sweeps count what is copied.
  void Improve(SampleGenotypes& sample, const PhasingSources& sources, int sweeps, RandomStream random);
  PopulationMixture FindPopulations(SampleGenotypes& sample, const PhasingSources& sources, int sweeps,
                                    RandomStream random);
  void Draw(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture& mixture,
            const DrawSweeps& sweeps, RandomStream random, PhaseDraws& draws);

 private:
  void Start(SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture* mixture);
  void StartSampler(SampleGenotypes& sample, const PhasingSources& sources, PairSampler::First first);
  void ImputeMissing(SampleGenotypes& sample) const;
  void SetStates(const SampleGenotypes& sample, const PhasingSources& sources, const PopulationMixture* mixture);
  void SetPriors(const PopulationMixture& mixture, float even);

  // Calls a function with the sampler that was started.
  template <typename Function>
  void WithSampler(const Function& function) {
    samples_reads_ ? function(read_sampler_) : function(pair_sampler_);
  }
  void Sweep(Choice choice, RandomStream& random) {
    WithSampler([&](auto& sampler) { sampler.Sweep(choice, random); });
  }
  void CountCopied(float* copied) {
    WithSampler([&](auto& sampler) { sampler.CountCopied(copied); });
  }
  std::span<const float> AltProbability(size_t c) const {
    return samples_reads_ ? read_sampler_.alt_probability(c) : pair_sampler_.alt_probability(c);
  }

  const PanelPopulations* populations_;
  CopyingStates composites_;
  PhasingStates states_;
  bool samples_reads_ = false;  // which sampler was started
  PairSampler pair_sampler_;
  ReadSampler read_sampler_;
  std::vector<float> copied_;  // [reference haplotypes]
};

}  // namespace haplospin
