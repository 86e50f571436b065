// Vector loops of phasing: the Li-Stephens recursions of the two haplotypes of a sample, side by side. Compiled for
// several instruction sets; the best one of the machine is chosen at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace haplospin {

// out[c] = (in[c] * keep[c] + jump * prior) * (bit ? if_one[c] : if_zero[c]) for haplotypes c = 0, 1 and each of n
// states. Returns the sums of `out`. in[c] may be out[c].
struct PairStep {
  std::array<float, 2> keep;
  float jump;
  std::array<float, 2> if_zero;
  std::array<float, 2> if_one;
};
std::array<float, 2> RunPairStep(const PairStep& step, const uint64_t* bits, const float* prior, size_t n,
                                 const float* const in[2], float* const out[2]);

// The likelihoods of the four ways to join the haplotypes on both sides of a heterozygote: sum[c][d][a] is the sum of
// behind[c] * ahead[d] / prior over the states with allele a.
struct Continuations {
  float sum[2][2][2];
};

// A step that also finds the continuations, where `out` is behind. The emissions of the step are not used. out[c] may
// be ahead[0] or ahead[1].
struct JoiningStep {
  std::array<float, 2> sums;  // of `out`
  Continuations continuations;
};
JoiningStep RunJoiningStep(const PairStep& step, const uint64_t* bits, const float* prior, const float* inverse_prior,
                           size_t n, const float* const in[2], float* const out[2], const float* const ahead[2]);

// The probabilities that haplotypes c = 0, 1 copy ALT at a marker where each state s has it with probability
// alt[s] / 255: the sums of behind[c] * ahead[c] / prior * alt / 255 divided by those without alt.
std::array<float, 2> CopiedAlt(const uint8_t* alt, const float* inverse_prior, size_t n, const float* const behind[2],
                               const float* const ahead[2]);

// weight[c] = behind[c] * ahead[c] / prior * (bit ? emission[c][1] : emission[c][0]) for haplotypes c = 0, 1 and each
// of n states. Returns the sums of `weight`.
std::array<float, 2> WeighStates(const uint64_t* bits, const float* inverse_prior, size_t n,
                                 const float* const behind[2], const float* const ahead[2],
                                 const std::array<std::array<float, 2>, 2>& emission, float* const weight[2]);

// Returns the sums of weight[c] over the states whose bit is set. `weight` has whole words of states; bits beyond the
// last state are 0.
std::array<float, 2> SumOnes(const uint64_t* bits, size_t n, const float* const weight[2]);

}  // namespace haplospin
