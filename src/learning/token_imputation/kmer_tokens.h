// K-mer tokens: k neighboring biallelic markers of a haplotype read as one number, in which bit i is the allele of the
// i-th marker (SPIN, appendix A.3).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace haplospin {

inline constexpr size_t kDefaultKmer = 5;
inline constexpr size_t kMaxKmer = 16;

// Tokens of `num_markers` markers: markers [t k, (t + 1) k) are token t; the last may have fewer.
size_t NumKmerTokens(size_t num_markers, size_t k);

// The probability of allele 1 at each of a token's k markers, from that of each of its 2^k classes:
// p[i] = sum of distribution[c] over the classes c with bit i. k is log2 of the size of `distribution`.
std::vector<float> KmerAlleleProbabilities(std::span<const float> distribution);

}  // namespace haplospin
