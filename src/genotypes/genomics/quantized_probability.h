// Probabilities as whole numbers.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "genotypes/genomics/probability_units.h"

namespace haplospin {

// The nearest step of 1 / `one`: `one` stands for a probability of 1.
template <std::floating_point Real>
uint16_t QuantizeProbability(Real probability, uint16_t one) {
  return static_cast<uint16_t>(std::clamp(probability, Real{0}, Real{1}) * static_cast<Real>(one) + Real{0.5});
}

// Probabilities as they are kept in memory: in steps of 1 / kPackedProbabilityOne.
template <std::floating_point Real>
uint16_t PackProbability(Real probability) {
  return QuantizeProbability(probability, kPackedProbabilityOne);
}

inline float UnpackProbability(uint16_t steps) { return static_cast<float>(steps) / kPackedProbabilityOne; }

// Whether an allele is called ALT: its probability as it is written is above a half.
inline bool CallsAlt(float probability) {
  return 2u * QuantizeProbability(probability, kProbabilityOne) > kProbabilityOne;
}

}  // namespace haplospin
