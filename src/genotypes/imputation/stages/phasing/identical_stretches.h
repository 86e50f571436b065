// Stretches of markers where two samples have the same genotypes, as full sibs have in a quarter of their genome.
//
// There, the two samples tell nothing of each other's phase: each matches the other whatever its phase is, and an error
// that both have is never found. Beagle 5 does not copy such samples either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// A sample that has the same genotypes as another one at the typed markers [begin, end), or lacks them.
struct IdenticalStretch {
  size_t sample;
  uint32_t begin;
  uint32_t end;
};

// Returns the stretches that each sample shares with others: [samples], ascending by sample. Only those are returned
// that are too long and too improbable to be shared by chance, and that have heterozygotes. `centimorgans` are [typed].
// Those that `is_left_out` names, [samples], are not among the others; if it is empty, all are. Runs on all threads;
// the result does not depend on their number.
std::vector<std::vector<IdenticalStretch>> FindIdenticalStretches(std::span<const SampleGenotypes> samples,
                                                                  std::span<const double> centimorgans,
                                                                  const std::vector<bool>& is_left_out = {});

}  // namespace haplospin
