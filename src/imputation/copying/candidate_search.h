// The search for the candidates of many targets at the same time, for a device that wants much to do at once
// (imputer_training/torch_candidate_search.h). CandidateFinder does the same for one target after the other.
#pragma once

#include <span>

#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/copying_model.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// The arguments of CandidateFinder::Find() that are a target's own.
struct CandidateTask {
  const TargetHaplotype* target;
  const CopyingStates* states;
  CopyCandidates* candidates;
  std::span<float> left_out;
  std::span<const float> weight;
};

class CandidateSearch {
 public:
  virtual ~CandidateSearch() = default;

  // As CandidateFinder::Find() for each task, except for rounding. `left_out` must not be empty.
  virtual void Find(const TypedPanel& panel, const CopyingModel& model, float min_product,
                    std::span<const CandidateTask> tasks) = 0;
};

}  // namespace haplospin
