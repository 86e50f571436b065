// The haplotypes of a study sample in a window.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "imputation/copying/typed_panel.h"

namespace haplospin {

// One way of assigning a sample's alleles to its haplotypes.
struct PhaseVersion {
  std::vector<TargetHaplotype> haplotypes;  // one or two

  // [intervals] whether the first haplotype is the second one of the output's phase there; empty: nowhere.
  std::vector<bool> swapped = {};

  // [intervals] its probability there; those of all versions sum to 1. Empty: 1.
  std::vector<float> weight = {};
};

struct SampleTargets {
  // The most probable phase, which is that of the output unless there is a `given` one; then others.
  std::vector<PhaseVersion> versions;

  const std::vector<TargetHaplotype>& most_probable() const { return versions[0].haplotypes; }
  const std::vector<TargetHaplotype>& output() const { return IsCorrected() ? given : most_probable(); }

  bool IsCorrected() const { return !given.empty(); }

  // Of two haplotypes that were not found, but maybe corrected.
  bool HasGivenPhase() const { return most_probable().size() == 2 && phase_probability.empty(); }

  // [typed] of heterozygotes whose phase was found: the probability of their phase relative to the heterozygote before
  // them; 0 at other markers. Empty: no phase was found.
  std::vector<float> phase_probability = {};

  // The haplotypes of the study, if errors of their phase are corrected in versions[0].
  std::vector<TargetHaplotype> given = {};
};

}  // namespace haplospin
