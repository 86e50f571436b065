#include "imputation/copying/state_selection.h"

namespace haplospin {
StateSelection::StateSelection(const TypedPanel& panel, std::span<const MatchTarget> targets,
                               const StateOptions& options)
    : panel_(panel),
      targets_(targets.begin(), targets.end()),
      max_states_(options.max_states),
      use_all_(panel.num_haplotypes() <= options.max_states && panel.has_site_bits()) {
  if (!use_all_) matches_ = FindMatches(panel.rows(), targets, options.matches);
}

void StateSelection::Get(size_t t, CopyingStates& states) const {
  const ExcludedHaplotypes& excluded = targets_[t].excluded;
  if (use_all_) {
    states.UseAll(panel_, excluded);
  } else {
    states.UseComposites(panel_.rows(), matches_[t], max_states_, excluded);
  }
}

void StateSelection::GetForBoth(size_t t, CopyingStates& states) const {
  if (use_all_) {
    states.UseAll(panel_, {});
  } else {
    states.UseComposites(panel_.rows(), MergeMatches(matches_[t], matches_[t + 1]), max_states_, {});
  }
}

}  // namespace haplospin
