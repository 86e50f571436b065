// What the study's own phase says of the phases that are drawn.
#pragma once

#include <cstddef>
#include <vector>

#include "genotypes/imputation/models/phasing/sample_genotypes.h"

namespace haplospin {

// Probability of two given heterozygotes whose phase contradicts the study, relative to its phase.
inline constexpr double kContradiction = 0.03;  // benchmarks/phasing/LOG.md

// Where the study gives the phase of two heterozygotes, with others between them, a phase that contradicts it is
// improbable, but not impossible: a stretch of heterozygotes can be turned only by way of such phases.
class GivenPhase {
 public:
  // Takes the heterozygotes of a sample, which must outlive the calls of Factor().
  void Start(const SampleGenotypes& sample);

  // Returns the factor of the phase of all given heterozygotes, if `het` is flipped and those ahead of it, in the
  // direction of the sweep, are swapped.
  double Factor(size_t het, bool flip, bool swapped, bool is_forward) const;

 private:
  size_t Nearest(size_t het, bool is_after) const;
  double PairFactor(size_t behind, size_t ahead, bool swapped) const;

  const SampleGenotypes* sample_ = nullptr;
  std::vector<size_t> up_to_, from_;  // [hets] the nearest given ones of the set, itself included
};

}  // namespace haplospin
