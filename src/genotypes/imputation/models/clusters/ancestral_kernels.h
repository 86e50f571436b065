// The loops over ancestral haplotypes, with the vector instructions of the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

inline constexpr size_t kAncestors = 48;  // K: a multiple of 16

// The ancestral haplotypes of a population. Between marker m - 1 and m, a haplotype switches with probability
// switches[m], to ancestor k with probability share[m * K + k]; switches[0] is 1.
struct AncestorTables {
  size_t markers;
  const float* alt;       // [markers, K] the probability of ALT
  const float* share;     // [markers, K]
  const float* switches;  // [markers]
};

// Expected numbers, over the haplotypes that were counted.
struct AncestorCounts {
  float* ref;       // [markers, K] of haplotypes that are copied from an ancestor, and have REF
  float* alt;       // [markers, K]
  float* switched;  // [markers, K] of switches to an ancestor
};

// Computes the forward probabilities of a haplotype: `forward` [markers, K], each row with sum 1, and `scale`
// [markers], what the rows were divided by. `alleles`: [markers] 0, 1 or kMissingAllele.
void AncestorForward(const AncestorTables& tables, const uint8_t* alleles, float* forward, float* scale);

// Adds a haplotype whose forward probabilities are known to the counts. None of its alleles is missing.
void CountAncestors(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                    const AncestorCounts& counts);

// Writes the probability of ALT at each marker given the alleles at all other markers: `left_out` [markers].
void LeaveOutAlleles(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                     float* left_out);

// How a haplotype goes on over several markers: it keeps its ancestor with probability `stays`, and otherwise ends with
// ancestor k, with probability switched[k] in all.
struct AncestorStep {
  float stays;
  const float* switched;  // [K]
};

// Some of the markers, first and last included; all heterozygotes and homozygotes are at these.
struct PairMarkers {
  std::span<const uint32_t> stops;    // ascending
  std::span<const float> from_stays;  // [markers] from the stop before the marker to it
  const float* from_switched;         // [markers, K]
  std::span<const float> to_stays;    // [markers] from the marker to the stop after it
  const float* to_switched;           // [markers, K]
};

// Writes the mean of the two haplotypes' probabilities of ALT at each marker, given the genotypes at all other markers.
// `genotypes`: [stops] ALT alleles, or -1 where nothing is known. `forward`: [stops, K, K], for the function's use.
void LeaveOutGenotypes(const AncestorTables& tables, const PairMarkers& markers, const int8_t* genotypes,
                       float* forward, float* left_out);

}  // namespace haplospin
