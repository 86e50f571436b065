// Stores the common markers of a panel as distinct haplotypes while it is read, to save memory.
#pragma once

#include <cstddef>

#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The common markers that were appended since the last call, unless they are fewer than `min_markers`. Returns whether
// it did. A panel file has its markers in groups already. Runs on all threads.
bool GroupCommonMarkers(HaplotypePanel& panel, size_t min_markers);

}  // namespace haplospin
