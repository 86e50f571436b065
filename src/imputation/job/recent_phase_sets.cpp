#include "imputation/job/recent_phase_sets.h"

#include <algorithm>

namespace haplospin {

bool RecentPhaseSets::Visit(size_t sample, uint32_t set) {
  std::array<Set, kSets>& sets = sets_[sample];
  auto found = std::ranges::find_if(sets, [&](const Set& s) { return s.is_used && s.id == set; });
  const bool is_interrupted = found != sets.end() && found != sets.begin();
  if (found == sets.end()) {
    --found;  // forgets the oldest
    *found = {.id = set, .is_used = true};
  }
  std::rotate(sets.begin(), found, found + 1);
  return is_interrupted;
}

void RecentPhaseSets::Learn(const RecentPhaseSets& other) {
  for (size_t sample = 0; sample < sets_.size(); ++sample) {
    for (Set& set : sets_[sample]) {
      for (const Set& known : other.sets_[sample]) {
        if (set.is_used && known.is_used && known.id == set.id && known.order != Order::kUnknown)
          set.order = known.order;
      }
    }
  }
}

}  // namespace haplospin
