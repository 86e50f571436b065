// The probabilities of some markers as they are written: whole positions, column by column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/window/marker_range.h"

namespace haplospin {

struct DosageColumns {
  MarkerRange markers;                             // of the panel
  std::vector<float> alt;                          // [markers, haplotypes] the probability of ALT
  std::vector<const std::vector<uint8_t>*> typed;  // [markers] the study's alleles, or null
  std::vector<bool> is_exclusive;                  // [markers] whether a haplotype has at most one of several alleles
  std::vector<std::vector<uint8_t>> calls;  // [markers] called alleles; empty where alleles are called one by one

  size_t num_haplotypes() const { return markers.size() == 0 ? 0 : alt.size() / markers.size(); }
  std::span<float> Column(size_t marker) {
    return std::span(alt).subspan((marker - markers.begin) * num_haplotypes(), num_haplotypes());
  }
};

}  // namespace haplospin
