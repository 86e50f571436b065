// Vector loops of phasing by reads: the recursions of the two haplotypes of a sample where a read is of one of them.
// Numbers of states are multiples of 64; those beyond the last state have the prior 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// No read is less likely than this, relative to the most likely one, given what its haplotype copies: it may be of
// another place.
inline constexpr float kLeastReadEmission = 1e-8f;

// An allele that a read shows at a marker: bit s is the allele of state s.
struct ReadTerm {
  const uint64_t* bits;
  float if_zero, if_one;
};

// emission[s] is the product of (bit ? if_one : if_zero) over the terms, but at least kLeastReadEmission, for each of n
// states. No factor is more than 1.
void FindEmissions(std::span<const ReadTerm> terms, size_t n, float* emission);

// state[c] = state[c] * keep[c] + jump * prior for haplotypes c = 0, 1, and the likelihoods of the ways to join them
// with what is ahead: all[c][d] is the sum of state[c] * ahead[d] / prior, and read[c][d] that with the emission of a
// read of the haplotype.
struct ReadJoin {
  float all[2][2];
  float read[2][2];
};
ReadJoin JoinRead(const std::array<float, 2>& keep, float jump, const float* prior, const float* inverse_prior,
                  const float* emission, size_t n, float* const state[2], const float* const ahead[2]);

// Passes a read: stored[c] = state[c], and state[c] *= factor, which is by_read[c] * emission + constant[c]. Returns
// the sums of state[c]. If `weight` is not null, weight[c] = state[c] * ahead[c] / prior, with the new state. stored[c]
// may be ahead[0] or ahead[1].
struct ReadFactors {
  std::array<float, 2> by_read;
  std::array<float, 2> constant;
};
std::array<float, 2> PassRead(const ReadFactors& factors, const float* inverse_prior, const float* emission, size_t n,
                              float* const state[2], const float* const ahead[2], float* const stored[2],
                              float* const* weight);

}  // namespace haplospin
