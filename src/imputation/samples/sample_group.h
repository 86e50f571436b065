// Imputes the samples of a window in groups, for a network backend that finds the candidates of many targets at the
// same time.
#pragma once

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "imputation/copying/candidate_search.h"
#include "imputation/copying/copying_states.h"
#include "imputation/copying/state_selection.h"
#include "imputation/samples/sample_imputer.h"
#include "imputation/window_dosages.h"

namespace haplospin {

using SampleImputers = tbb::enumerable_thread_specific<SampleImputer>;

// Workspace of a window. The search and the network work on one group after the other; what they work on is prepared,
// and what they find is written, on all threads.
class SampleGroup {
 public:
  SampleGroup(const WindowContext& context, CandidateSearch& search) : context_(context), search_(search) {}

  // As SampleImputer::Impute() for each sample. Calls `finished` with the index of a sample, by any thread.
  void Impute(std::span<const WindowSample> samples, const StateSelection& selection, SampleImputers& imputers,
              const std::function<void(size_t)>& finished, WindowDosages& dosages);

 private:
  // The states of each haplotype of a sample's most probable phase, and those of its other versions.
  using SampleStates = std::array<CopyingStates, 3>;

  size_t CountNext(std::span<const WindowSample> samples) const;
  void ChooseStates(std::span<const WindowSample> samples, const StateSelection& selection);
  void FindCandidates(std::span<const WindowSample> samples);

  const WindowContext& context_;
  CandidateSearch& search_;
  std::vector<SampleStates> states_;     // [samples of the group]
  std::vector<SampleCandidates> found_;  // the same
};

}  // namespace haplospin
