// The probabilities of alleles in a gap: neighboring markers where nothing is known of a sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/phasing/gap_kernels.h"
#include "genotypes/imputation/models/phasing/pair_stops.h"
#include "genotypes/imputation/models/phasing/phasing_states.h"
#include "genotypes/imputation/models/phasing/sparse_stops.h"

namespace haplospin {

// Between the two ends of a gap nothing changes but how far a haplotype has moved from them. With `near` and `far` the
// probabilities that it has not switched since the first marker of the gap, and does not before the stop after it, a
// state with probability B behind, A ahead and prior P (all with sum 1) has at a marker, up to a factor,
//
//   (near B + (1 - near) P) (far A + (1 - far) P) / P
//     = near far BA/P + near (1 - far) B + (1 - near) far A + (1 - near) (1 - far) P.
//
// So the probability of ALT follows from the sums of ALT over the states with the weights BA/P, B, A and P, and no step
// is needed from marker to marker. States that change within a gap keep the prior of its beginning.
class GapImputer {
 public:
  // `behind` is at the first marker of `gap`, `ahead` [2][states] at the stop after it, with the priors of the first
  // marker. The changes of `states` from `next_change` on lie ahead. Writes alt[c], the probability of ALT on
  // haplotype c: [gap.count].
  void Impute(const PairStop& gap, const PhasingStates& states, size_t next_change, const CopyingModel& model,
              const PairState& behind, const float* const ahead[2], const std::array<float*, 2>& alt);

 private:
  void FindRows(const PairStop& gap, const PhasingStates& states, size_t next_change);
  void FindDistances(const PairStop& gap, const PhasingStates& states, const CopyingModel& model);

  std::array<std::vector<float>, 2> joined_;  // [2][states]
  std::vector<const uint8_t*> rows_;          // [states] probabilities of ALT from the first marker of the gap on
  std::vector<uint8_t> changed_;              // rows of states that change within the gap
  std::vector<float> near_, far_;             // [gap.count]
  std::vector<GapSums> sums_;                 // [gap.count]
};

}  // namespace haplospin
