#include "imputation/copying/leave_one_out.h"

#include "haplospin/study_genotypes.h"
#include "imputation/copying/copying_kernels.h"

namespace haplospin {

float AltProbabilityWithoutOwnAllele(const TypedPanel& panel, const CopyingModel& model, uint8_t allele, size_t j,
                                     const CopyState& forward, const CopyState& backward) {
  const AlleleSums joint =
      SumPairsByAllele(panel.site_bits(j), panel.num_haplotypes(), forward.values, backward.values);
  if (allele == kMissingAllele) return joint.one / (joint.zero + joint.one);
  const float match = 1 - model.mismatch_probability, mismatch = model.mismatch_probability;
  const float one = allele == 1 ? match : mismatch, zero = allele == 1 ? mismatch : match;
  const float without_one = joint.one / (one * one), without_zero = joint.zero / (zero * zero);
  return without_one / (without_zero + without_one);
}

}  // namespace haplospin
