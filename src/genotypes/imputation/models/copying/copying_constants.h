// Constants of the candidates of a target and of their features, which the CPU's functions and the kernels of GPUs
// share. NVRTC compiles this header, too, so it includes nothing that the host alone has.
#pragma once

#ifndef __CUDACC_RTC__
#include <cstddef>
#endif

namespace haplospin {

inline constexpr size_t kMaxCandidates = 96;  // of an interval
inline constexpr size_t kCandidateStep = 16;  // Vector loops over candidates take this many at a time.

inline constexpr size_t kNumPopulations = 20;  // of a panel

// Constants of the estimate of a study person's mixture from what the person copies.
namespace population_mixture {
inline constexpr float kPrior = 0.03f;                   // prior observations of every population
inline constexpr float kObservationsPerCentimorgan = 2;  // observations per copied cM
inline constexpr float kMaxObservations = 100;           // limit in total, as more observations add no certainty
inline constexpr float kMinProbability = 1e-9f;
inline constexpr float kMinShare = 1e-3f;  // relative to equal shares of all samples
}  // namespace population_mixture

namespace ancestry {
inline constexpr float kEvenCentimorgans = 0.5f;  // weight (cM) of the prior that every sample is copied equally

// The estimates of copying and of populations depend on each other, so they alternate.
inline constexpr int kCopyingRounds = 4;
inline constexpr int kMixtureRounds = 4;  // updates of the populations per round of copying
}  // namespace ancestry

inline constexpr size_t kMismatches = 3;  // mismatches on each side of an interval

// Rows of the features of candidates, scaled to about unit size.
namespace copy_feature {
enum Row : size_t {
  // Two rows for the u-th mismatch on the left, the nearest first: log cM to it (row kLeft + 2 u) and log information
  // matched between it and the mismatch before (row kLeft + 2 u + 1). The rows from kRight on are those on the right.
  kLeft = 0,
  kRight = kLeft + 2 * kMismatches,
  kLogForward = kRight + 2 * kMismatches,  // log forward copying probability, relative to an even one
  kLogBackward,
  kLogForwardToBest,  // log forward copying probability, relative to the largest among the candidates
  kLogBackwardToBest,
  kLogSampleShare,      // Ancestry::LogShares() of the candidate's panel sample
  kLogPopulationShare,  // Ancestry::PopulationLogShares() of the candidate's panel sample
  kCount
};
}  // namespace copy_feature
inline constexpr size_t kNumCopyFeatures = copy_feature::kCount;

// Divisor of the log copying probabilities.
inline constexpr float kLogProbabilityUnit = 5;

// Factors of the other rows, and lower bounds of the values whose logarithms are taken.
inline constexpr float kMismatchScale = 1.0f / 3;
inline constexpr float kAncestryScale = 0.3f;
inline constexpr float kMinCentimorgans = 1e-3f;
inline constexpr float kMinCopyingProbability = 1e-12f;

}  // namespace haplospin
