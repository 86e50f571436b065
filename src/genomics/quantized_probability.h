// Probabilities as whole numbers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace haplospin {

// What stands for a probability of 1.
inline constexpr uint16_t kWindowProbabilityOne = 65535;  // in memory: all of 16 bits
inline constexpr uint16_t kFileProbabilityOne = 10000;    // in VCF and BCF: four decimals

// The nearest step of 1 / `one`.
template <std::floating_point Real>
uint16_t QuantizeProbability(Real probability, uint16_t one) {
  return static_cast<uint16_t>(std::clamp(probability, Real{0}, Real{1}) * static_cast<Real>(one) + Real{0.5});
}

inline float ProbabilityOf(uint16_t quantized, uint16_t one) {
  return static_cast<float>(quantized) / static_cast<float>(one);
}

}  // namespace haplospin
