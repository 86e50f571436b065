// From the numbers of a causal graph to columns as tables have them.
#pragma once

#include <cstdint>

#include "core/random.h"
#include "tabular/prior/random_functions.h"

namespace haplospin {

struct ObservedColumn {
  Numbers values;       // numbers, or categories 0, 1, ...
  int64_t classes = 0;  // 0: numbers
};

// A monotonic function of the numbers, standardized: a power, an exponential, rounding, or the numbers themselves.
Numbers Warp(Numbers numbers, RandomStream& random);

// Intervals of the numbers, between `classes` - 1 thresholds at random quantiles; some are rarer than others. At least
// one row each, if there are as many rows with different numbers.
Numbers CutIntoClasses(const Numbers& numbers, int64_t classes, RandomStream& random);

// Numbers, warped or not, or categories in random order.
ObservedColumn Observe(const Numbers& numbers, RandomStream& random);

}  // namespace haplospin
