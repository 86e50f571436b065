// Whom the haplotypes of a panel copy at the place of a gene.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// Another haplotype of the panel, with the probability that it is copied.
struct CopiedHaplotype {
  uint32_t haplotype;
  float probability;
};

// [haplotypes] what each haplotype copies, ascending by haplotype. Probabilities sum to 1 at most; improbable
// haplotypes are left out. A haplotype copies none of its own sample.
using CopiedAtGene = std::vector<std::vector<CopiedHaplotype>>;

// Returns that of each of the `positions`, bp, ascending: by the Li-Stephens model, as the markers around them have it,
// of which only one is used where several have the same position. Runs on all threads; the result does not depend on
// their number.
std::vector<CopiedAtGene> FindCopied(const HaplotypePanel& panel, const GeneticMap& map,
                                     std::span<const int64_t> positions);

}  // namespace haplospin
