// Probabilities as integers that sum to a given number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace haplospin {

// weights / (their sum) * steps, rounded so that the sum is `steps`: down, but up those that lose most, as the BGEN
// specification requires. Products of a weight and `steps` must not exceed 64 bits, and the sum must not be 0.
template <size_t kCount>
std::array<uint32_t, kCount> RoundShares(const std::array<uint64_t, kCount>& weights, uint64_t steps) {
  uint64_t whole = 0;
  for (const uint64_t weight : weights) whole += weight;
  std::array<uint32_t, kCount> shares;
  std::array<uint64_t, kCount> lost;
  uint64_t rest = steps;
  for (size_t i = 0; i < kCount; ++i) {
    shares[i] = static_cast<uint32_t>(weights[i] * steps / whole);
    lost[i] = weights[i] * steps % whole;
    rest -= shares[i];
  }
  for (; rest > 0; --rest) {
    size_t largest = 0;
    for (size_t i = 1; i < kCount; ++i) {
      if (lost[i] > lost[largest]) largest = i;
    }
    ++shares[largest];
    lost[largest] = 0;
  }
  return shares;
}

}  // namespace haplospin
