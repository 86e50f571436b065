// Random functions of columns of numbers.
#pragma once

#include <vector>

#include "core/random.h"

namespace haplospin {

using Numbers = std::vector<float>;  // a column: one for each row

// Subtracts the mean and divides by the standard deviation; all 0 where they are all the same or not finite.
void Standardize(Numbers& numbers);

// A number of which the logarithm is uniform between those of both.
double LogUniform(RandomStream& random, double low, double high);

// A function drawn from a random family, applied to standardized columns, standardized: linear functions, networks with
// one hidden layer, sums of trees, sums of waves (nearly Gaussian processes), sums of functions of one column each,
// products, and functions that are constant around the nearest of some points. At least one parent.
Numbers DrawFunction(const std::vector<const Numbers*>& parents, RandomStream& random);

}  // namespace haplospin
