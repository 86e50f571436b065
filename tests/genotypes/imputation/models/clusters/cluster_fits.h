// Clusters that tests fit to the haplotypes of a panel.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"

namespace haplospin {

inline ClusterModel FitToHaplotypes(const ClusterEvidence& evidence, uint64_t seed) {
  RandomStream random(seed);
  std::vector<float> alt;
  for (const float frequency : evidence.frequency) {
    for (size_t k = 0; k < kManyClusters; ++k) {
      alt.push_back(0.1f + 0.8f * (0.7f * frequency + 0.3f * static_cast<float>(random.Uniform())));
    }
  }
  return {evidence, {.clusters = kManyClusters, .steps = 5, .first_rate = 0.05}, std::move(alt)};
}

}  // namespace haplospin
