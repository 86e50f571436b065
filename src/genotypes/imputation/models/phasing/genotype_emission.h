// What is known of the alleles of a sample at a marker, as the copying model takes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"
#include "haplospin/study_genotypes.h"

namespace haplospin {

// [allele that a haplotype copies] the probability of what is known of it.
using HaplotypeEmission = std::array<float, 2>;

// Returns that of an allele, which differs from the copied one with probability `mismatch`.
inline HaplotypeEmission EmissionOfAllele(uint8_t allele, float mismatch) {
  if (allele == kMissingAllele) return {1, 1};
  return allele == 0 ? HaplotypeEmission{1 - mismatch, mismatch} : HaplotypeEmission{mismatch, 1 - mismatch};
}

using PairLikelihoods = std::array<float, 4>;  // [2 * first allele + second allele]

// Returns whether there are likelihoods of the k-th missing genotype that tell anything.
inline bool IsInformative(const SampleGenotypes& sample, size_t k) {
  return !sample.likelihoods.empty() && !sample.likelihoods[k].IsFlat();
}

// Returns the likelihoods of the k-th missing genotype. A haploid sample has the first allele alone.
PairLikelihoods ReadLikelihoods(const SampleGenotypes& sample, size_t k);

// Returns the likelihoods of the allele of haplotype c if the other haplotype has ALT with probability `other_alt`, the
// larger one about 1.
HaplotypeEmission EmissionOfLikelihoods(const PairLikelihoods& likelihoods, size_t c, float other_alt, float mismatch);

}  // namespace haplospin
