// Probabilities as integers that sum to a given number, as BGEN stores them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace haplospin {

// weight / whole * steps, rounded. Twice the product must not exceed 64 bits.
inline uint64_t RoundShare(uint64_t weight, uint64_t whole, uint64_t steps) {
  return (2 * weight * steps + whole) / (2 * whole);
}

// Turns weights, of which not all are 0, into their shares of `steps`, rounded up or down so that the sum is exact. The
// products with `steps` must not exceed 64 bits.
inline void RoundShares(std::vector<uint64_t>& weights, uint64_t steps) {
  uint64_t whole = 0, left = steps;
  for (const uint64_t weight : weights) whole += weight;
  std::vector<std::pair<uint64_t, size_t>> cut;  // what rounding down takes from each
  for (size_t i = 0; i < weights.size(); ++i) {
    cut.emplace_back(weights[i] * steps % whole, i);
    weights[i] = weights[i] * steps / whole;
    left -= weights[i];
  }
  std::ranges::nth_element(cut, cut.begin() + static_cast<std::ptrdiff_t>(left), std::greater());
  for (size_t k = 0; k < left; ++k) ++weights[cut[k].second];
}

// The probabilities of 0, 1 and 2 ALT alleles as steps. The dosage, which associations are tested with, is rounded
// first, so that it is at most half a step off. Rounding each probability by itself, as the specification of BGEN
// suggests, puts it up to a step off. Of the probabilities with this dosage, these are the nearest.
inline std::array<uint64_t, 3> RoundGenotype(const std::array<uint64_t, 3>& weights, uint64_t steps) {
  const uint64_t whole = weights[0] + weights[1] + weights[2];
  const uint64_t dosage = RoundShare(weights[1] + 2 * weights[2], whole, steps);
  const uint64_t least = dosage > steps ? dosage - steps : 0;
  const uint64_t two = std::clamp(((dosage + 1) * whole - weights[1] * steps) / (2 * whole), least, dosage / 2);
  return {steps - dosage + two, dosage - 2 * two, two};
}

}  // namespace haplospin
