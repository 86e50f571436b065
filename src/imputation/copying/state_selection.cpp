#include "imputation/copying/state_selection.h"

namespace haplospin {

StateSelection::StateSelection(const TypedPanel& panel, std::span<const MatchTarget> targets,
                               const StateOptions& options)
    : panel_(panel),
      targets_(targets.begin(), targets.end()),
      max_states_(options.max_states),
      matches_(FindMatches(panel.rows(), targets, options.matches)) {}

void StateSelection::Get(size_t t, CopyingStates& states) const {
  states.Assign(panel_.rows(), matches_[t], max_states_, targets_[t].excluded);
}

void StateSelection::GetForBoth(size_t t, CopyingStates& states) const {
  states.Assign(panel_.rows(), MergeMatches(matches_[t], matches_[t + 1]), max_states_, {});
}

}  // namespace haplospin
