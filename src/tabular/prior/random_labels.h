// Labels of synthetic tables.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "tabular/prior/random_functions.h"

namespace haplospin {

// A random function of some of the columns with noise, whose strength may depend on the row.
Numbers DrawNumberLabel(const std::vector<Numbers>& columns, RandomStream& random);

// Classes 0, 1, ..., at most `classes`, in random order: intervals of such a label, or the largest of several.
Numbers DrawClassLabel(const std::vector<Numbers>& columns, int64_t classes, RandomStream& random);

}  // namespace haplospin
