#include "imputation/copying/leave_one_out.h"

#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_kernels.h"

namespace haplospin {

float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingStates& states, const CopyingModel& model,
                                     uint8_t allele, size_t j, const CopyState& forward, const CopyState& backward) {
  AlleleSums joint = SumPairsByAllele(states.site_bits(j), states.size(), forward.values, backward.values);
  float rest = JointOfRest(states, forward, backward);
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
