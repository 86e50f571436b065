// Errors of phase in simulated panels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/random.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {

// Exchanges the haplotypes of each pair from a marker on, with probability `rate` at each marker.
inline Mosaic WithSwitchErrors(Mosaic mosaic, double rate, uint64_t seed = 1) {
  RandomStream random(seed);
  for (size_t h = 0; h + 1 < mosaic.alleles.size(); h += 2) {
    for (size_t m = 1; m < mosaic.markers.size(); ++m) {
      if (!random.Bernoulli(rate)) continue;
      std::swap_ranges(mosaic.alleles[h].begin() + static_cast<std::ptrdiff_t>(m), mosaic.alleles[h].end(),
                       mosaic.alleles[h + 1].begin() + static_cast<std::ptrdiff_t>(m));
    }
  }
  return mosaic;
}

// Counts the heterozygotes of a pair whose phase relative to the heterozygote before differs from the truth `one` and
// `other`. `alleles(m)` is the allele of the first haplotype at marker m.
template <typename Alleles>
size_t CountSwitchErrors(const std::vector<uint8_t>& one, const std::vector<uint8_t>& other, const Alleles& alleles) {
  size_t errors = 0;
  bool is_first = true, was_exchanged = false;
  for (size_t m = 0; m < one.size(); ++m) {
    if (one[m] == other[m]) continue;
    const bool is_exchanged = alleles(m) != one[m];
    errors += !is_first && is_exchanged != was_exchanged ? 1 : 0;
    is_first = false;
    was_exchanged = is_exchanged;
  }
  return errors;
}

}  // namespace haplospin
