// Structural causal models: columns of numbers that depend on each other through random functions.
#pragma once

#include <cstddef>
#include <vector>

#include "core/random.h"
#include "tabular/prior/random_functions.h"

namespace haplospin {

// `count` standardized columns of `rows` rows. Each is a cause of its own, with one of several distributions, or a
// random function of earlier ones with noise. In some draws there are causes only, which may be correlated.
std::vector<Numbers> DrawCausalGraph(size_t rows, size_t count, RandomStream& random);

// 1 to `max_parents` of the columns; few are likelier than many.
std::vector<const Numbers*> DrawParents(const std::vector<Numbers>& columns, size_t max_parents, RandomStream& random);

}  // namespace haplospin
