// Imputes the same simulated study with two backends, and compares dosages and time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/state_selection.h"
#include "imputation/samples/imputer_backend.h"

namespace haplospin {

struct ComparisonOptions {
  size_t samples = 100;      // diploid
  size_t haplotypes = 2000;  // of the panel
  size_t markers = 4000;     // every fourth common one is typed
  size_t max_states = StateOptions{}.max_states;
  uint64_t seed = 1;

  // A small study with no more states than there are candidates at most. Among more states, those that are the last
  // candidates may be as good as the next ones but for rounding, and have other alleles.
  static ComparisonOptions WithFewStates(size_t samples, uint64_t seed) {
    return {.samples = samples, .haplotypes = 500, .markers = 2000, .max_states = kMaxCandidates, .seed = seed};
  }
};

struct BackendRun {
  double seconds = 0;  // of wall time, of the whole imputation
  // Of the stages, averages over the threads. Those of different groups of samples can overlap.
  double states_seconds = 0;      // choosing the states of the targets
  double recursions_seconds = 0;  // finding their candidates
  double alleles_seconds = 0;     // from these to the probabilities of alleles, with the networks
  double mean_squared_error = 0;  // of the probabilities of ALT at markers that are not typed
};

struct BackendComparison {
  size_t typed = 0;
  std::array<BackendRun, 2> runs;
  double max_difference = 0;  // between the probabilities of ALT of a haplotype
  double mean_difference = 0;
};

BackendComparison CompareBackends(ImputerBackend& first, ImputerBackend& second, const ComparisonOptions& options);

}  // namespace haplospin
