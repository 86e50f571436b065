#include "imputation/copying/leave_one_out.h"

#include "haplospin/study_genotypes.h"

namespace haplospin {

JointSums SumJointly(const CopyingStates& states, size_t j, const CopyState& forward, const CopyState& backward) {
  return {SumPairsByAllele(states.site_bits(j), states.size(), forward.values, backward.values),
          JointOfRest(states, forward, backward)};
}

float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const JointSums& sums) {
  AlleleSums joint = sums.states;
  float rest = sums.rest;
  if (allele != kMissingAllele) {
    const float match = 1 - model.mismatch_probability, mismatch = model.mismatch_probability;
    const float one = allele == 1 ? match : mismatch, zero = allele == 1 ? mismatch : match;
    const float of_rest = AlleleProbabilityOfRest(panel, model, allele, j);
    joint.one /= one * one;
    joint.zero /= zero * zero;
    rest /= of_rest * of_rest;
  }
  return (joint.one + rest * panel.frequency(j, 1)) / (joint.zero + joint.one + rest);
}

}  // namespace haplospin
