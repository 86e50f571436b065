// How much of each haplotype is to be taken from each of several imputations of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace haplospin {

// [markers * panels], which sum to 1 at each marker.
struct PanelWeights {
  std::vector<float> posterior;  // the probability that each panel has the closest relatives
  std::vector<float> left_out;   // the same without the allele of the marker itself
};

// The hidden Markov model of MetaMinimac2 (Yu et al. 2022, Am J Hum Genet 109:1007): along a haplotype, the panel that
// has its closest relatives changes now and then. A typed allele shows which panel that is: the better panel gives it
// the larger leave-one-out probability. `positions` are those of the typed markers, bp, and `observed` [markers *
// panels] has the probabilities of their alleles, all 1 where there is none to compare.
PanelWeights FindPanelWeights(std::span<const int64_t> positions, size_t num_panels, std::span<const float> observed);

}  // namespace haplospin
