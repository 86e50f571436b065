// Divides a contig into windows that are imputed one after the other.
#pragma once

#include <cstdint>

#include "haplospin/genetic_map.h"

namespace haplospin {

// Positions in bp, both ends included. Results are kept for the core; the flanks on either side are only used as
// context.
struct Window {
  int64_t begin_bp = 0;
  int64_t end_bp = 0;
  int64_t core_begin_bp = 0;
  int64_t core_end_bp = 0;

  bool operator==(const Window&) const = default;
};

// The window whose core begins at `first_position`, spans `window_cm` > 0 and has flanks of `overlap_cm` >= 0. Where
// the contig ends is not known: a window may reach beyond.
Window FirstWindow(const GeneticMap& map, int64_t first_position, double window_cm, double overlap_cm);

// The window after `previous`; its core begins where that of `previous` ends.
Window NextWindow(const GeneticMap& map, const Window& previous, double window_cm, double overlap_cm);

}  // namespace haplospin
