// A panel whose haplotypes are of another founder after each recombination hotspot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "selfcheck/mosaic.h"

namespace haplospin {

// 4 Mb, with markers every kb and hotspots 10 to 120 kb apart.
struct HotspotPanel {
  HotspotPanel(size_t haplotypes, uint64_t seed);

  // Positions and cM: 0.1 cM in the 2 kb of each hotspot, and little elsewhere; moved by `shift` bp.
  std::vector<std::pair<int64_t, double>> Map(int64_t shift) const;

  std::vector<int64_t> hotspots;
  Mosaic mosaic;
};

}  // namespace haplospin
