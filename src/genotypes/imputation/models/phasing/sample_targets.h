// The haplotypes of a study sample in a window.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// A phase of a sample: an assignment of its alleles to its haplotypes.
struct PhaseVersion {
  std::vector<TargetHaplotype> haplotypes;  // [ploidy]

  // [intervals] true where the first haplotype is the second one of the output's phase; empty if nowhere.
  std::vector<bool> swapped = {};

  // [intervals] the probability of the version there, summing to 1 over all versions; empty for 1.
  std::vector<float> weight = {};
};

// A sample's targets are the haplotypes of the versions of its phase, one version after the other.
struct SampleTargets {
  // The most probable phase first, which is that of the output if `given` is empty.
  std::vector<PhaseVersion> versions;

  // [typed] the probability that the phase of a heterozygote relative to the one before it is right, if it was found by
  // the program; 0 at other markers. Empty if no phase was found.
  std::vector<float> phase_probability = {};

  // [ploidy][typed] the probability of ALT, 0 or 1 where the study has an allele, if missing alleles were imputed from
  // other samples while the sample was phased; otherwise empty.
  std::vector<std::vector<float>> alt_probability = {};

  // The haplotypes of the study, if errors of their phase are corrected in versions[0].
  std::vector<TargetHaplotype> given = {};

  size_t ploidy() const { return most_probable().size(); }
  const std::vector<TargetHaplotype>& most_probable() const { return versions[0].haplotypes; }
  const std::vector<TargetHaplotype>& output() const { return IsCorrected() ? given : most_probable(); }

  bool IsCorrected() const { return !given.empty(); }

  // Returns whether the sample has two haplotypes whose phase was given by the study, corrected or not.
  bool HasGivenPhase() const { return ploidy() == 2 && phase_probability.empty(); }

  size_t num_targets() const { return versions.size() * ploidy(); }
  const PhaseVersion& version(size_t target) const { return versions[target / ploidy()]; }
  const TargetHaplotype& haplotype(size_t target) const { return version(target).haplotypes[target % ploidy()]; }

  // Returns whether a target is imputed with the states of both haplotypes of the sample: less probable versions, and
  // haplotypes whose phase was corrected, have alleles of both haplotypes of the study.
  bool NeedsStatesOfBoth(size_t target) const { return target >= ploidy() || IsCorrected(); }
};

// Returns the haplotypes of the most probable phase of the samples, one sample after the other.
inline std::vector<const TargetHaplotype*> MostProbable(std::span<const SampleTargets> samples) {
  std::vector<const TargetHaplotype*> haplotypes;
  for (const SampleTargets& sample : samples) {
    for (const TargetHaplotype& haplotype : sample.most_probable()) haplotypes.push_back(&haplotype);
  }
  return haplotypes;
}

}  // namespace haplospin
