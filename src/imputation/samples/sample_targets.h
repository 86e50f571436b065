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

  // [intervals] whether the first haplotype is the second one of the most probable phase there; empty: nowhere.
  std::vector<bool> swapped = {};

  // [intervals] its probability there; those of all versions sum to 1. Empty: 1.
  std::vector<float> weight = {};
};

struct SampleTargets {
  std::vector<PhaseVersion> versions;  // the most probable phase, which is that of the output, then others

  const std::vector<TargetHaplotype>& most_probable() const { return versions[0].haplotypes; }

  // [typed] of heterozygotes whose phase was found: the probability of their phase relative to the heterozygote before
  // them; 0 at other markers. Empty: no phase was found.
  std::vector<float> phase_probability = {};
};

}  // namespace haplospin
