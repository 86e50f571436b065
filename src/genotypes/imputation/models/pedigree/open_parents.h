// Parents that genotypes tell, where a pedigree leaves them open.
#pragma once

#include <span>
#include <string>

#include "genotypes/genomics/pedigree.h"
#include "genotypes/variant_io/oxford_samples.h"

namespace haplospin {

// Whose open parents are filled: all people's, or those of people with one parent in the pedigree.
enum class OpenParents { kAll, kSecond };

// Returns the pedigree `known` with parents of `found`, which has samples alone. Parents of `known` stay. A found
// parent is not taken if the two found parents contradict one that is known, or it would be somebody's father and
// somebody else's mother, by either pedigree or the sexes, or an ancestor of itself. `samples` are the names of the
// samples.
Pedigree FillOpenParents(const Pedigree& known, const Pedigree& found, OpenParents open,
                         std::span<const std::string> samples = {}, const SampleSexes& sexes = {});

}  // namespace haplospin
