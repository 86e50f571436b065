// Draws of a sample's phase, and what they tell of it.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/missing_alleles.h"
#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// The sweeps of a round of draws.
struct DrawSweeps {
  int burn_in;
  int averaged;

  // Returns whether an average over missing alleles has anything to average: sweeps are forward and backward by turns,
  // and those forward alone are certain to find the probabilities (PairSampler::found_probabilities()).
  constexpr bool FindProbabilities() const { return averaged > 1 || (averaged == 1 && burn_in % 2 == 0); }
};

// The phases that were drawn from the posterior distribution so far, by one chain or several.
struct PhaseDraws {
  std::vector<std::vector<bool>> cis;  // [draws][hets] as CisPhase()
  std::vector<float> cis_sum;          // [hets] sum over the draws of PairSampler::cis_probability()
  MissingAlleles missing;

  // Adds the present phase of the sample, and the probabilities from which it was drawn.
  void Add(const SampleGenotypes& drawn, std::span<const float> cis_probability);
};

// The posterior distribution of a sample's phase. The most probable phase is in the sample itself.
struct PhasePosterior {
  std::vector<float> cis_probability;  // [hets] that ALT is on the same haplotype as at the heterozygote before
  std::vector<std::vector<bool>> cis;  // [draws][hets] phases that were drawn

  // [haplotype][missing] the probability of ALT on the haplotypes of the most probable phase.
  std::array<std::vector<float>, 2> alt;
};

// Gives the sample the phase that most draws agree on, of which there must be at least one, and returns what they tell.
// The phase that the study gives is kept within its sets, also in the draws.
PhasePosterior SetMostProbablePhase(PhaseDraws draws, SampleGenotypes& sample);

}  // namespace haplospin
