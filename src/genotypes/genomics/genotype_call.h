// Genotypes from the probabilities of alleles.
#pragma once

#include <array>
#include <cstdint>

namespace haplospin {

// Returns the alleles of the most probable genotype of two haplotypes with these probabilities of ALT. Of a
// heterozygote, the haplotype with the larger one has ALT. It can be heterozygous although neither allele is more
// likely ALT than not.
inline std::array<uint8_t, 2> CallGenotype(float first, float second) {
  const float none = (1 - first) * (1 - second), two = first * second, one = 1 - none - two;
  if (one > none && one > two) return first > second ? std::array<uint8_t, 2>{1, 0} : std::array<uint8_t, 2>{0, 1};
  const uint8_t both = two > none ? 1 : 0;
  return {both, both};
}

}  // namespace haplospin
