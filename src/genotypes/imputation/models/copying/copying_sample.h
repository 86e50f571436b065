// Some haplotypes that copy a panel, and what is expected of their copying.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "genotypes/imputation/models/copying/copying_states.h"
#include "genotypes/imputation/models/copying/forward_backward.h"
#include "genotypes/imputation/models/copying/typed_panel.h"

namespace haplospin {

// The expectation step for some haplotypes that copy a panel.
class CopyingSample {
 public:
  // Haplotype k has the states of target selected[k] of `selection`. The panel, the haplotypes and the selection must
  // outlive the sample.
  CopyingSample(const TypedPanel& panel, std::vector<const TargetHaplotype*> haplotypes,
                const StateSelection& selection, std::vector<size_t> selected);

  // Runs the recursions of the model, on all threads; the results below do not depend on their number.
  void Run(const CopyingModel& model);

  // [typed - 1] expected switches of all haplotypes.
  std::vector<double> Switches() const;

  // Returns the mean probability of copying a haplotype without a state, that is one that was not among the matches.
  double UnmatchedShare() const;

  // Expected mismatches per allele.
  double MismatchRate() const;

  // Returns the mean squared error of the probability that an allele has if it is left out.
  double LeftOutError() const;

  size_t num_haplotypes() const { return haplotypes_.size(); }
  size_t num_alleles() const { return num_alleles_; }  // excludes missing alleles

 private:
  void RunHaplotype(const CopyingModel& model, size_t k);
  void VisitTyped(const CopyingModel& model, size_t k, size_t j, const CopyingStates& states, const CopyState& forward,
                  const CopyState& backward);

  const TypedPanel& panel_;
  const std::vector<const TargetHaplotype*> haplotypes_;
  const StateSelection& selection_;
  const std::vector<size_t> selected_;
  const size_t gaps_;  // typed - 1
  size_t num_alleles_ = 0;
  std::vector<float> switches_;     // [haplotypes, gaps], so that sums do not depend on the threads
  std::vector<double> unmatched_;   // [haplotypes] sums over the gaps
  std::vector<double> mismatches_;  // [haplotypes]
  std::vector<double> left_out_;    // [haplotypes] squared errors
  tbb::enumerable_thread_specific<std::pair<ForwardBackward, CopyingStates>> workspaces_;
};

}  // namespace haplospin
