// Imputes the same simulated study with two backends of the imputer's network, and compares dosages and time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "imputation/network/network_backend.h"

namespace haplospin {

struct ComparisonOptions {
  size_t samples = 100;      // diploid
  size_t haplotypes = 2000;  // of the panel
  size_t markers = 4000;     // every fourth common one is typed
  uint64_t seed = 1;
};

struct BackendRun {
  double seconds = 0;             // of wall time, of the whole imputation
  double network_seconds = 0;     // of all threads together, within the network
  double mean_squared_error = 0;  // of the probabilities of ALT at markers that are not typed
};

struct BackendComparison {
  size_t typed = 0;
  std::array<BackendRun, 2> runs;
  double max_difference = 0;  // between the probabilities of ALT of a haplotype
  double mean_difference = 0;
};

BackendComparison CompareBackends(NetworkBackend& first, NetworkBackend& second, const ComparisonOptions& options);

}  // namespace haplospin
