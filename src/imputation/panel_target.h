// A haplotype of the panel as a target that the others impute.
#pragma once

#include <cstddef>

#include "haplospin/imputation/array_panel.h"

namespace haplospin {

TargetHaplotype PanelHaplotype(const ArrayPanel& panel, size_t haplotype);

// A haplotype and the one beside it, which is the same person's in all but haploid panels; there, leaving out one too
// many does no harm.
Excluded WithNeighbour(size_t haplotype, size_t num_haplotypes);

}  // namespace haplospin
