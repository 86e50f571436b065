// Errors of phase in a panel: where the haplotypes of a sample fit those of the other samples far better if their
// alleles are exchanged from there on.
#pragma once

#include <cstdint>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/window/window_dosages.h"

namespace haplospin {

// From this position on, bp, the haplotypes of a sample are to be exchanged, relative to before.
struct PhaseExchange {
  int64_t position;
  uint32_t sample;
};

struct PanelPhaseErrors {
  std::vector<PhaseExchange> exchanges;  // by position
  PhaseErrorCounts counts;
};

// From the common markers of the panel: the errors from `first` to `last`, bp, both included. Those beyond are evidence
// only. Runs on all threads; the result does not depend on their number.
PanelPhaseErrors FindPanelPhaseErrors(const HaplotypePanel& panel, const GeneticMap& map, int64_t first, int64_t last);

}  // namespace haplospin
