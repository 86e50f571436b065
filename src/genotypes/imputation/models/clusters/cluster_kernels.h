// The loops over the clusters of a haplotype, with the vector instructions of the machine.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace haplospin
