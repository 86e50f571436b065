// Sums of random regression trees.
#pragma once

#include <vector>

#include "core/random.h"

namespace haplospin {

// One or several trees that split at values of random rows, with normal numbers in their leaves. The columns have as
// many rows each; at least one column.
std::vector<float> TreeFunction(const std::vector<const std::vector<float>*>& parents, RandomStream& random);

}  // namespace haplospin
