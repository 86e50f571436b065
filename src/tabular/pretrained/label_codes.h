// More classes than a network knows: error-correcting codes (Dietterich and Bakiri, 1995).
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"

namespace haplospin {

// For each class the class of the network that stands for it. Up to `max_classes` classes: a
// random order. Of more, each is one of `max_classes`, about equally many of each.
std::vector<int64_t> DrawLabelCode(int64_t classes, int64_t max_classes, RandomStream& random);

// How many such codes tell all classes apart well.
int64_t CodeLength(int64_t classes, int64_t max_classes);

}  // namespace haplospin
