// The copying model's prediction of a typed marker when its own allele is left out.
#pragma once

#include <cstddef>
#include <cstdint>

#include "imputation/copying/copying_kernels.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/forward_backward.h"

namespace haplospin {

// Sums of forward * backward at a typed marker: over the states, by their allele, and over the other haplotypes.
struct JointSums {
  AlleleSums states;
  float rest;
};
JointSums SumJointly(const CopyingStates& states, size_t j, const CopyState& forward, const CopyState& backward);

// The probability of ALT at typed marker j given every other allele of the target. `sums` are of the states at the
// marker, which both have seen `allele` there: its factor is divided out of each.
float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const JointSums& sums);

}  // namespace haplospin
