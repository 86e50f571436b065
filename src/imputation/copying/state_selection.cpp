#include "imputation/copying/state_selection.h"

#include <algorithm>

namespace haplospin {
namespace {

// For panels of fewer than 2,000 haplotypes, whose matches would have as few as 144 states; no experiment is recorded.
constexpr size_t kFewStates = 256;

// So many states have a place for the matches of two targets around any block: 288 in panels of 2,000 to 5,000
// haplotypes, which are enough to find errors of phase with 12 matches in a panel of any size (docs/method.md).
size_t StatesOfMatches(const StateOptions& options) {
  constexpr size_t kOfMatch = 24;  // found in a block, of each target and direction
  return kOfMatch * options.matches.per_block;
}

}  // namespace

StateSelection::StateSelection(const TypedPanel& panel, std::span<const TargetHaplotype* const> targets,
                               const StateOptions& options)
    : panel_(panel), options_(options), matches_(FindMatches(panel.rows(), targets, options.matches)) {
  for (const TargetHaplotype* target : targets) excluded_.push_back(target->excluded);
}

void StateSelection::Get(size_t t, CopyingStates& states) const {
  states.Assign(panel_.rows(), matches_[t], options_.max_states, excluded_[t]);
}

void StateSelection::GetForBoth(size_t t, CopyingStates& states) const {
  AssignBoth(t, std::clamp(StatesOfMatches(options_), options_.max_states, 2 * options_.max_states), states);
}

void StateSelection::GetFewForBoth(size_t t, CopyingStates& states) const {
  AssignBoth(t,
             std::clamp(StatesOfMatches(options_), std::min(kFewStates, options_.max_states), 2 * options_.max_states),
             states);
}

void StateSelection::AssignBoth(size_t t, size_t max_states, CopyingStates& states) const {
  states.Assign(panel_.rows(), MergeMatches(matches_[t], matches_[t + 1]), max_states, excluded_[t]);
}

}  // namespace haplospin
