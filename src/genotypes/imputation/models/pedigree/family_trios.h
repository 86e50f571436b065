// Which trios of a pedigree tell about genotypes.
#pragma once

#include <vector>

#include "genotypes/genomics/pedigree.h"

namespace haplospin {

// Returns the trios and duos of a pedigree's descent that families consist of: people of whom a parent has genotypes,
// and those with genotypes of whom a grandparent has some. `has_genotypes` is [people].
std::vector<Trio> FamilyTrios(const Pedigree& pedigree, const std::vector<bool>& has_genotypes);

}  // namespace haplospin
