// Switch errors of a panel: places from which on the haplotypes of a sample fit those of the other samples far better
// with their alleles exchanged.
#pragma once

#include <cstdint>
#include <vector>

#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// An exchange of the haplotypes of a sample from a position on.
struct PhaseExchange {
  int64_t position;  // bp
  uint32_t sample;
};

struct PanelPhaseErrors {
  std::vector<PhaseExchange> exchanges;  // ascending by position
  PhaseErrorCounts counts;
};

// Returns the errors from `first` to `last`, bp, both included, by the common markers of the panel. Markers outside are
// used only as evidence. Runs on all threads; the result does not depend on their number.
PanelPhaseErrors FindPanelPhaseErrors(const HaplotypePanel& panel, const GeneticMap& map, int64_t first, int64_t last);

}  // namespace haplospin
