#include "imputation/copying/state_selection.h"

#include <algorithm>

namespace haplospin {
namespace {

// In a large panel, many haplotypes share a target's longest matches, and the share of them that carries an allele is
// known better from more of them.
MatchOptions MatchesInPanel(MatchOptions options, size_t num_haplotypes) {
  constexpr size_t kHaplotypes = 5000, kMaxFactor = 4;
  options.per_block =
      options.per_block * std::clamp(num_haplotypes, kHaplotypes, kMaxFactor * kHaplotypes) / kHaplotypes;
  return options;
}

}  // namespace

StateSelection::StateSelection(const TypedPanel& panel, std::span<const MatchTarget> targets,
                               const StateOptions& options)
    : panel_(panel),
      targets_(targets.begin(), targets.end()),
      max_states_(options.max_states),
      use_all_(panel.num_haplotypes() <= options.max_states && panel.has_site_bits()) {
  if (!use_all_) matches_ = FindMatches(panel.rows(), targets, MatchesInPanel(options.matches, panel.num_haplotypes()));
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
