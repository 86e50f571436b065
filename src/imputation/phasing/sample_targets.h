// The haplotypes of a study sample in a window.
#pragma once

#include <cstddef>
#include <vector>

#include "imputation/copying/typed_panel.h"

namespace haplospin {

// One way of assigning a sample's alleles to its haplotypes.
struct PhaseVersion {
  std::vector<TargetHaplotype> haplotypes;  // one or two

  // [intervals] whether the first haplotype is the second one of the output's phase there; empty: nowhere.
  std::vector<bool> swapped = {};

  // [intervals] the probability of the version there; those of all versions sum to 1. Empty: 1.
  std::vector<float> weight = {};
};

// A sample's targets are the haplotypes of the versions of its phase, one version after the other.
struct SampleTargets {
  // The most probable phase, which is that of the output unless there is a `given` one; then others.
  std::vector<PhaseVersion> versions;

  // [typed] the probability that the phase of a heterozygote relative to the one before it is right, where it was
  // found; 0 at other markers. Empty: no phase was found.
  std::vector<float> phase_probability = {};

  // The haplotypes of the study, if errors of their phase are corrected in versions[0].
  std::vector<TargetHaplotype> given = {};

  size_t ploidy() const { return most_probable().size(); }
  const std::vector<TargetHaplotype>& most_probable() const { return versions[0].haplotypes; }
  const std::vector<TargetHaplotype>& output() const { return IsCorrected() ? given : most_probable(); }

  bool IsCorrected() const { return !given.empty(); }

  // Whether the sample has two haplotypes whose phase was not found, but given (and maybe corrected).
  bool HasGivenPhase() const { return ploidy() == 2 && phase_probability.empty(); }

  size_t num_targets() const { return versions.size() * ploidy(); }
  const PhaseVersion& version(size_t target) const { return versions[target / ploidy()]; }
  const TargetHaplotype& haplotype(size_t target) const { return version(target).haplotypes[target % ploidy()]; }

  // Other versions, and haplotypes whose phase was corrected, have alleles of both haplotypes of the study, so that
  // they are imputed with the states of both.
  bool NeedsStatesOfBoth(size_t target) const { return target >= ploidy() || IsCorrected(); }
};

}  // namespace haplospin
