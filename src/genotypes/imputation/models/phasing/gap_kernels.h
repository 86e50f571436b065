// Vector loops over the states and markers of a gap. Compiled for several instruction sets; the best one of the machine
// is chosen at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haplospin {

// What the states are weighted by (gap_imputer.h): BA/P, B and A of both haplotypes, and P.
inline constexpr size_t kGapTerms = 7;
// Terms of the first haplotype; those of the second are kSecond further.
enum GapTerm : size_t { kJoined, kBehind, kAhead, kSecond, kPrior = 6 };
using GapWeights = std::array<const float*, kGapTerms>;  // [states] each
using GapSums = std::array<float, kGapTerms>;            // over the states

// Writes joined[c] = behind[c] * ahead[c] * inverse_prior of each of n states.
void JoinStates(const float* inverse_prior, size_t n, const float* const behind[2], const float* const ahead[2],
                float* const joined[2]);

// Returns the sums of the weights of n states.
GapSums SumWeights(const GapWeights& weights, size_t n);

// Bytes that are read beyond the last marker of a row.
inline constexpr size_t kGapPadding = 64;

// sums[m][t] = sum over the states s of weights[t][s] * rows[s][m]. `rows`: [states] pointers to the probability of
// ALT, in 255ths, at each marker of `sums`.
void SumAlts(const GapWeights& weights, std::span<const uint8_t* const> rows, std::span<GapSums> sums);

}  // namespace haplospin
