// The genotypes of a sample that tell so little that they take no part in the recursions.
#pragma once

#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// Returns SampleGenotypes::is_passive: whether each missing genotype is without likelihoods, or at a marker where the
// less frequent allele has a frequency below `min_frequency` and most probably is not in the reads of the sample.
// `alt_frequency` is that of the reference, [typed].
std::vector<bool> PassiveGenotypes(const SampleGenotypes& sample, std::span<const float> alt_frequency,
                                   float min_frequency);

}  // namespace haplospin
