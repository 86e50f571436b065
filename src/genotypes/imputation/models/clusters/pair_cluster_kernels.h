// The loops over the pairs of clusters of a genotype, with the vector instructions of the machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "genotypes/imputation/models/clusters/cluster_kernels.h"

namespace haplospin {

// How a haplotype goes on over several markers: it keeps its cluster with probability `stays`, and otherwise ends in
// cluster k, with probability switched[k] in all.
struct ClusterStep {
  float stays;
  const float* switched;  // [K]
};

// The markers where something is known of genotypes, and the way between them.
struct TypedSteps {
  std::span<const uint32_t> typed;    // ascending, first and last marker included
  std::span<const float> from_stays;  // [markers] from the typed marker before the marker to it
  const float* from_switched;         // [markers, K]
  std::span<const float> to_stays;    // [markers] from the marker to the typed marker after it
  const float* to_switched;           // [markers, K]
};

// The likelihoods of a genotype with no, one and two ALT alleles; all equal where nothing is known.
using ClusterLikelihoods = std::array<float, 3>;

// The following functions take one individual's `likelihoods` [markers], and leave its forward probabilities: `forward`
// [typed, K, K], each symmetric with sum 1.

// Adds the first haplotype of the individual to the counts, where its genotype is known. All markers are typed.
void CountPair(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
               float* forward, const ClusterCounts& counts);

// Writes the mean of the two haplotypes' probabilities of ALT at each marker given the genotypes at all other markers:
// `left_out` [markers], and at typed markers that both have ALT: `both` [markers].
void LeaveOutGenotypes(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
                       float* forward, float* left_out, float* both);

}  // namespace haplospin
