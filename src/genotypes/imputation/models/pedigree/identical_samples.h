// Samples with the same genotypes: one person twice, twins, or clones.
#pragma once

#include <cstddef>
#include <vector>

#include "genotypes/imputation/models/pedigree/spaced_genotypes.h"

namespace haplospin {

struct IdenticalPair {
  size_t a, b;       // samples, a < b
  double agreement;  // the share of the markers with a genotype in both at which it is the same
};

// Full sibs that inherited the same of both parents agree over whole chromosomes. Returns whether the markers span too
// little to tell samples with the same genotypes from such sibs: less than 400 cM, and less than 100 cM of five
// contigs. Without a genetic map, 1 cM per Mb is twice that of some species.
bool AreTooShortForIdentical(const SpacedGenotypes& genotypes);

// Returns the pairs that agree at 98 % or more of at least 200 markers, and differ at a twentieth or less of those at
// which two people would by the allele frequencies, in order; none where the markers span too little.
std::vector<IdenticalPair> FindIdenticalSamples(const SpacedGenotypes& genotypes);

}  // namespace haplospin
