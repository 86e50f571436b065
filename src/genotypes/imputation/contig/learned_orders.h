// The phase that a window has given to the genotypes of a study, as bits, so that another run can learn the same.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "genotypes/imputation/contig/contig_marker.h"
#include "genotypes/imputation/window/window_dosages.h"

namespace haplospin {

// Packs what ContigPhase::Learn() takes from dosages at markers that have genotypes to phase. `column` as there.
std::string PackOrders(const WindowDosages& dosages, std::span<const uint32_t> column,
                       const std::deque<ContigMarker>& markers);

// Dosages from which ContigPhase::Learn() learns what was packed.
struct LearnedOrders {
  WindowDosages dosages;
  std::vector<uint32_t> column;  // [study markers]
};

// `markers` are those of PackOrders(), not yet phased.
LearnedOrders UnpackOrders(std::string_view packed, size_t haplotypes, const std::deque<ContigMarker>& markers);

}  // namespace haplospin
