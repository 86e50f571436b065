// Quantiles of errors.
#pragma once

#include <span>

namespace haplospin {

// The quantile of the normal distribution; 0 < probability < 1.
double NormalQuantile(double probability);

// The quantile of errors in ascending order, of which there are at least two: what a further error is below with this
// probability. Beyond the outermost errors it grows as that of a normal distribution.
double ErrorQuantile(std::span<const float> sorted, double probability);

}  // namespace haplospin
