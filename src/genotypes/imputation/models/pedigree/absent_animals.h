// The animals of a pedigree that are written although nobody has their genotypes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "genotypes/genomics/pedigree.h"

namespace haplospin {

struct AbsentAnimals {
  std::vector<size_t> people;      // of the pedigree
  std::vector<std::string> names;  // of these
  size_t unrelated = 0;            // further ones, whose families have no genotypes
};

// Returns the people of a pedigree who are neither among the `samples` samples of the study nor in the panel, and
// whose families have genotypes: in the order of their lines, and then parents without a line in the order in which
// they are named.
AbsentAnimals FindAbsentAnimals(const Pedigree& pedigree, size_t samples);

}  // namespace haplospin
