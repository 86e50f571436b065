// The Li-Stephens model in double precision, by its definition: the reference for the recursions.
#pragma once

#include <cstddef>
#include <vector>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// Copying probabilities in each interval; each row sums to 1, and excluded haplotypes have 0. Of haplotypes without a
// state, the allele is unknown: they have the target's allele with its frequency in the panel.
struct NaiveCopying {
  std::vector<std::vector<double>> forward;   // [intervals][haplotypes] given the alleles before; at the marker before
  std::vector<std::vector<double>> backward;  // given the alleles after; at the marker after
  // The same moved to the middle of the interval, by half of its switches.
  std::vector<std::vector<double>> middle_forward;
  std::vector<std::vector<double>> middle_backward;
  // The same moved to the other end of the interval.
  std::vector<std::vector<double>> end_forward;
  std::vector<std::vector<double>> end_backward;

  // Given all alleles, at the left and the right end of an interval.
  std::vector<double> LeftPosterior(size_t interval) const;
  std::vector<double> RightPosterior(size_t interval) const;
};

NaiveCopying ComputeNaiveCopying(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                                 const ExcludedHaplotypes& excluded = {}, const std::vector<bool>& without_state = {});

}  // namespace haplospin
