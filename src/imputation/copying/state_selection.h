// Chooses the states of many targets at the same time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "imputation/copying/copying_states.h"
#include "imputation/copying/haplotype_matches.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Samples of the study whose matches are searched together: enough to share a sort of the panel, few enough for memory.
inline constexpr size_t kSamplesAtATime = 256;

struct StateOptions {
  size_t max_states = 1024;
  MatchOptions matches;
};

class StateSelection {
 public:
  // Searches the panel for the matches of all targets, on all threads. The panel must outlive the selection.
  StateSelection(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets, const StateOptions& options);

  // The states of target t. Several threads may call it, each with its own `states`.
  void Get(size_t t, CopyingStates& states) const;

  // States that serve both targets t and t + 1, which exclude the same. In a large panel, up to twice as many.
  void GetForBoth(size_t t, CopyingStates& states) const;

  // The same, but in a small panel only as many as tell which of the two copies what.
  void GetFewForBoth(size_t t, CopyingStates& states) const;

 private:
  void AssignBoth(size_t t, size_t max_states, CopyingStates& states) const;

  const TypedPanel& panel_;
  const StateOptions options_;
  std::vector<ExcludedHaplotypes> excluded_;                // [targets]
  const std::vector<std::vector<HaplotypeMatch>> matches_;  // [targets]
};

}  // namespace haplospin
