// The loops over the clusters of a population, with the vector instructions of the machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// K, the number of clusters: many for haplotypes, few for genotypes, as pairs of clusters take the square of the time.
inline constexpr size_t kManyClusters = 48, kFewClusters = 8;

// Between markers m - 1 and m, a haplotype switches with probability switches[m], to cluster k with probability
// share[m * K + k]; switches[0] is 1.
struct ClusterTables {
  size_t markers, clusters;
  const float* alt;       // [markers, K] the probability of ALT
  const float* share;     // [markers, K]
  const float* switches;  // [markers]
};

// Expected numbers, over the haplotypes that were counted.
struct ClusterCounts {
  float* ref;       // [markers, K] of haplotypes that are in a cluster, and have REF
  float* alt;       // [markers, K]
  float* switched;  // [markers, K] of switches to a cluster
};

// Adds a haplotype to the counts. `alleles`: [markers] 0 or 1. `forward`: [markers, K], for the function's use.
void CountHaplotype(const ClusterTables& tables, const uint8_t* alleles, float* forward, const ClusterCounts& counts);

// Writes the probability of ALT at each marker given the alleles at all other markers: `left_out` [markers]. `alleles`:
// [markers] 0, 1 or kMissingAllele. `forward`: [markers, K], for the function's use.
void LeaveOutAlleles(const ClusterTables& tables, const uint8_t* alleles, float* forward, float* left_out);

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
