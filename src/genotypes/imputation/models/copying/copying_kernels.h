// Vector loops over the states of a target (copying_states.h): steps of the Li-Stephens recursions and the search for
// the best matches. Compiled for several instruction sets; the best one of the machine is chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace haplospin {

// Runs a step of a recursion. For each state s, out = (in * keep + jump) * (bit s == allele ? match : mismatch).
// Returns the sum of `out`. `in` may be `out`.
struct CopyStep {
  float keep;
  float jump;
  float match;
  float mismatch;
};
float RunCopyStep(const CopyStep& step, const uint64_t* bits, bool allele, size_t n, const float* in, float* out);

// Runs a step at which the target's allele is missing: out = in * keep + jump.
float RunCopyStepWithoutAllele(float keep, float jump, size_t n, const float* in, float* out);

// Moves the values of a recursion along the window, to the next typed marker or halfway to it: value * keep + jump.
struct Transition {
  float keep;
  float jump;
};

// Sets products[s] = forward probability * backward probability, after a transition of each. Returns the largest.
float MultiplyTransitions(const float* forward, Transition f, const float* backward, Transition b, size_t n,
                          float* products);

// Writes the indices of the values above the threshold, ascending, and the values. Returns their number.
size_t CollectAbove(const float* values, float threshold, size_t n, uint32_t* indices, float* found);

// Sums over the states for an expectation step.
struct PairSums {
  float joint;  // sum of forward * backward
  float backward;
};
PairSums SumPairs(const float* forward, const float* backward, size_t n);

// Sums of forward * backward over the states with bit 0 and over those with bit 1.
struct AlleleSums {
  float zero;
  float one;
};
AlleleSums SumPairsByAllele(const uint64_t* bits, size_t n, const float* forward, const float* backward);

}  // namespace haplospin
