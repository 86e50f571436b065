#include "genotypes/imputation/models/phasing/passive_genotypes.h"

#include <algorithm>
#include <cstddef>

namespace haplospin {

std::vector<bool> PassiveGenotypes(const SampleGenotypes& sample, std::span<const float> alt_frequency,
                                   float min_frequency) {
  std::vector<bool> is_passive(sample.missing.size());
  for (size_t k = 0; k < is_passive.size(); ++k) {
    const float alt = alt_frequency[sample.missing[k]];
    const GenotypeLikelihoods& genotype = sample.likelihoods[k];
    const bool is_major = genotype.phred[alt > 0.5f ? 2 : 0] == 0;
    is_passive[k] = genotype.IsFlat() || (std::min(alt, 1 - alt) < min_frequency && is_major);
  }
  return is_passive;
}

}  // namespace haplospin
