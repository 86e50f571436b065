#include "genotypes/imputation/models/phasing/genotype_emission.h"

#include <algorithm>

namespace haplospin {

PairLikelihoods ReadLikelihoods(const SampleGenotypes& sample, size_t k) {
  const GenotypeLikelihoods& genotype = sample.likelihoods[k];
  const float none = Likelihood(genotype, 0), both = Likelihood(genotype, 2);
  if (sample.ploidy == 1) return {none, none, both, both};
  const float one = Likelihood(genotype, 1);
  return {none, one, one, both};
}

HaplotypeEmission EmissionOfLikelihoods(const PairLikelihoods& likelihoods, size_t c, float other_alt, float mismatch) {
  const auto likelihood = [&](size_t allele, size_t other) {
    return likelihoods[c == 0 ? 2 * allele + other : 2 * other + allele];
  };
  const float zero = (1 - other_alt) * likelihood(0, 0) + other_alt * likelihood(0, 1);
  const float one = (1 - other_alt) * likelihood(1, 0) + other_alt * likelihood(1, 1);
  const float scale = 1 / std::max({zero, one, 1e-30f});
  return {scale * ((1 - mismatch) * zero + mismatch * one), scale * (mismatch * zero + (1 - mismatch) * one)};
}

}  // namespace haplospin
