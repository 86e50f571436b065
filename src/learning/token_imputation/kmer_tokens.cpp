#include "learning/token_imputation/kmer_tokens.h"

#include <bit>

#include "haplospin/errors.h"

namespace haplospin {

size_t NumKmerTokens(size_t num_markers, size_t k) {
  HS_ASSERT(1 <= k && k <= kMaxKmer);
  return (num_markers + k - 1) / k;
}

std::vector<float> KmerAlleleProbabilities(std::span<const float> distribution) {
  HS_ASSERT(std::has_single_bit(distribution.size()) && distribution.size() <= size_t{1} << kMaxKmer);
  std::vector<float> probabilities(static_cast<size_t>(std::countr_zero(distribution.size())), 0);
  for (size_t c = 0; c < distribution.size(); ++c) {
    for (size_t i = 0; i < probabilities.size(); ++i) {
      if ((c >> i & 1) != 0) probabilities[i] += distribution[c];
    }
  }
  return probabilities;
}

}  // namespace haplospin
