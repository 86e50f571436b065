// The few phases of a sample that stand for many draws.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace haplospin {

struct AlternativeOptions {
  size_t count = 3;  // largest number of alternatives to the most probable phase
  size_t reach = 5;  // heterozygotes on either side of an ambiguous stretch up to which alternatives have weight
};

struct PhaseAlternative {
  std::vector<bool> cis;      // [hets] the phase, as CisPhase()
  std::vector<float> weight;  // [hets + 1] its probability before each heterozygote, and after the last one
};

// Returns the few phases that stand for many draws: the most probable one, then alternatives, with weights that sum to
// 1 everywhere. Neighboring heterozygotes at which draws differ from the most probable phase form an ambiguous stretch;
// stretches are taken as independent. In each, the alternatives have the most frequent patterns of the draws, and share
// the probability of all other patterns.
std::vector<PhaseAlternative> FindAlternatives(const std::vector<bool>& most_probable,
                                               std::span<const std::vector<bool>> draws,
                                               const AlternativeOptions& options);

}  // namespace haplospin
