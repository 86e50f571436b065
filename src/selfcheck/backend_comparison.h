// Imputes the same simulated study with two backends, and compares dosages and time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "genotypes/imputation/backends/backend.h"
#include "genotypes/imputation/models/copying/copy_candidates.h"
#include "genotypes/imputation/models/copying/copying_model.h"

namespace haplospin {

struct ComparisonOptions {
  size_t samples = 100;      // diploid
  size_t haplotypes = 2000;  // panel size
  size_t markers = 4000;     // every fourth common one is typed
  CopyingOptions copying = CopyingOptions().ForPanel(haplotypes);
  uint64_t seed = 1;

  // A small study in which all states are candidates. Elsewhere rounding can decide which states are the last
  // candidates, and these may have other alleles than the next ones.
  static ComparisonOptions WithFewStates(size_t samples, uint64_t seed) {
    // Few matches give no more states to both haplotypes of a sample than there are candidates.
    const CopyingOptions copying{.states = {.max_states = kMaxCandidates, .matches = {.per_block = 4}},
                                 .min_product = 0};
    return {.samples = samples, .haplotypes = 500, .markers = 2000, .copying = copying, .seed = seed};
  }
};

struct BackendRun {
  double seconds = 0;             // wall time
  double mean_squared_error = 0;  // error of the ALT probability at untyped markers
};

struct BackendComparison {
  size_t typed = 0;
  std::array<BackendRun, 2> runs;
  double max_difference = 0;  // largest difference of the ALT probability of a haplotype
  double mean_difference = 0;
};

BackendComparison CompareBackends(Backend& first, Backend& second, const ComparisonOptions& options);

}  // namespace haplospin
