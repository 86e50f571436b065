// Stores the common markers of a panel as distinct haplotypes while it is read, to save memory.
#pragma once

#include "genotypes/genomics/mutable_panel.h"

namespace haplospin {

// Groups the common markers that were appended since the last call. If more will follow (not `is_last`), it does so
// only where they fill several groups. Returns whether it grouped them. A panel file has its markers in groups already.
// Runs on all threads.
bool GroupCommonMarkers(MutablePanel& panel, bool is_last);

}  // namespace haplospin
