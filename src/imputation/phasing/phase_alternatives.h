// The few phases that stand for many draws of a sample's phase.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace haplospin {

struct AlternativeOptions {
  size_t count = 3;  // beside the most probable phase
  size_t reach = 5;  // heterozygotes beside an ambiguous stretch where they have weight
};

struct PhaseAlternative {
  std::vector<bool> cis;      // [hets] see CisOf()
  std::vector<float> weight;  // [hets + 1] its probability before heterozygote h; the last one: after all of them
};

// The most probable phase, then others, with weights that sum to 1 everywhere. Where draws differ from
// the most probable phase, neighboring heterozygotes form an ambiguous stretch; stretches are taken to be independent.
// In each, the alternatives have the most frequent patterns of the draws, and share the probability of all the others.
std::vector<PhaseAlternative> FindAlternatives(const std::vector<bool>& most_probable,
                                               std::span<const std::vector<bool>> draws,
                                               const AlternativeOptions& options);

}  // namespace haplospin
