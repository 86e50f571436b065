// What is decided about the given phase of a sample: errors that are corrected, and doubts that are left.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/typed_panel.h"
#include "imputation/phasing/sample_targets.h"

namespace haplospin {

// Whether there is an error at a heterozygote: from there on, the alleles of the haplotypes are to be exchanged.
struct PhaseDecision {
  static constexpr double kDoubt = 2;  // a smaller logarithm of the odds, either way, leaves a doubt

  size_t het;
  double log_odds;  // of an error

  bool IsError() const { return log_odds > 0; }
  bool IsDoubtful() const { return std::abs(log_odds) < kDoubt; }

  // The markers around a heterozygote do not tell about it independently of each other: the square root of the odds
  // imputes better than the odds.
  double ProbabilityOfOpposite() const { return 1 / (1 + std::exp(std::abs(log_odds) / 2)); }
};

// The sample's haplotypes with the errors corrected.
std::vector<TargetHaplotype> Corrected(std::span<const TargetHaplotype> given,
                                       std::span<const PhaseDecision> decisions);

// The corrected phase becomes the most probable one; that of the output remains the given one. Where there are doubts,
// a second version has the opposite decision at each, and around it the probability of that as its weight. `decisions`
// must be ascending, and the sample have no other version; `switch_probability` is that of a CopyingModel.
void SetVersions(std::span<const PhaseDecision> decisions, std::span<const float> switch_probability,
                 SampleTargets& sample);

}  // namespace haplospin
