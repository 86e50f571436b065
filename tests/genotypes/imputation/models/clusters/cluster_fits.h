// Clusters that tests fit to the haplotypes of a simulated panel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/models/clusters/cluster_model.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/genetic_map.h"

namespace haplospin {

inline ClusterEvidence MosaicHaplotypes(uint64_t seed, size_t markers) {
  const Mosaic mosaic = SimulateMosaic(
      {.haplotypes = 60, .markers = markers, .founders = 6, .spacing_bp = 500'000, .rare_share = 0, .seed = seed});
  return PanelHaplotypes(MakePanel(mosaic, DiploidSamples("R", 30)), GeneticMap::Uniform(), {0, markers});
}

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
