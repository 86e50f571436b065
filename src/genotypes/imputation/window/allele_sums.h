// The alleles of one position: a haplotype has at most one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/window/window_dosages.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The first marker after `end` - 1 that is at another position, so that the markers before it are of whole positions.
size_t EndOfPosition(const HaplotypePanel& panel, size_t end);

// Scales ALT probabilities, which were found for each marker alone, among markers of one position of which no panel
// haplotype has two: the ALTs of a record, or the alleles of an HLA gene. Where they sum to more than 1 on a haplotype,
// they are lowered. Where each haplotype of the panel has one of them, as of HLA alleles, they are scaled to sum to 1;
// otherwise REF has the rest. If the panel has no haplotypes, these are the markers of the same REF and different ALT.
// Markers that the study has together on a haplotype are left as they are. Alleles that the study knows stay; the
// others share what is left. `markers` are whole positions; `typed` has the study's alleles at each of them, or null;
// `alt` is [markers, haplotypes]. Returns, for each marker, whether it excludes another one.
std::vector<bool> ScaleAlleleSums(const HaplotypePanel& panel, MarkerRange markers,
                                  std::span<const std::vector<uint8_t>* const> typed, std::span<float> alt);

}  // namespace haplospin
