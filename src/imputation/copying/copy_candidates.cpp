#include "imputation/copying/copy_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "haplospin/errors.h"
#include "imputation/copying/forward_backward.h"
#include "imputation/copying/leave_one_out.h"

namespace haplospin {
namespace {

// From one end of an interval to the same end, to its middle, and to the other end.
struct Moves {
  Moves(const CopyState& state, float switch_probability, size_t num_copied)
      : none(state.Move(0, num_copied)),
        half(state.Move(1 - std::sqrt(1 - switch_probability), num_copied)),
        whole(state.Move(switch_probability, num_copied)) {}

  Transition none, half, whole;
};

}  // namespace

void CopyCandidates::Reset(size_t intervals) {
  count.assign(intervals, 0);
  first_slot.assign(intervals, 0);
  haplotype.clear();
  forward.clear();
  backward.clear();
  at_left.clear();
  at_right.clear();
}

size_t CopyCandidates::AddSlots(size_t i, size_t num_candidates) {
  const size_t first = haplotype.size();
  count[i] = static_cast<uint16_t>(num_candidates);
  first_slot[i] = static_cast<uint32_t>(first);
  haplotype.resize(first + num_candidates);
  for (std::vector<float>* values : {&forward, &backward, &at_left, &at_right}) values->resize(first + num_candidates);
  return first;
}

struct CandidateFinder::Workspace {
  float min_product;
  ForwardBackward recursions;
  std::vector<float> products;  // [states] of one interval
  std::vector<uint32_t> found;  // the best states, ascending
  std::vector<float> values;    // their products
  size_t num_found = 0;
  std::vector<uint32_t> counts;
  std::vector<float> ranked;
  float cut_share = 0;  // of the largest product, in the last interval; 0 where no state was cut off

  void FindBest(float largest, size_t max_found);

 private:
  struct Cut {
    float value;
    size_t ties;  // so many of those that are equal to it are kept
  };
  Cut FindCut(size_t size, float min_value, float largest, size_t rank);
};

// The rank-th largest, from 1, of the first `size` values, which are between `min_value` >= 0 and `largest`. Such
// numbers are ordered as their bits are: they are counted by the leading bits, and only those of one count are sorted.
CandidateFinder::Workspace::Cut CandidateFinder::Workspace::FindCut(size_t size, float min_value, float largest,
                                                                    size_t rank) {
  constexpr int kShift = 18;  // leaves the exponent and five bits of the fraction
  const auto leading = [](float value) { return std::bit_cast<uint32_t>(value) >> kShift; };
  const uint32_t lowest = leading(min_value);
  counts.assign(leading(largest) - lowest + 1, 0);
  for (size_t k = 0; k < size; ++k) ++counts[leading(values[k]) - lowest];
  size_t bucket = counts.size() - 1;
  for (; counts[bucket] < rank; --bucket) rank -= counts[bucket];
  ranked.resize(size);
  size_t equal = 0;                    // values of the bucket
  for (size_t k = 0; k < size; ++k) {  // without branches, which nobody could predict
    ranked[equal] = values[k];
    equal += leading(values[k]) - lowest == bucket ? 1 : 0;
  }
  const auto at = ranked.begin() + static_cast<ptrdiff_t>(rank) - 1;
  std::nth_element(ranked.begin(), at, ranked.begin() + static_cast<ptrdiff_t>(equal), std::greater<>());
  const auto larger = std::count_if(ranked.begin(), at, [&](float value) { return value > *at; });
  return {.value = *at, .ties = rank - static_cast<size_t>(larger)};
}

// Leaves in `found` the states with products above min_product * `largest`: if there are more than `max_found`,
// those with the largest products, and of equal products, those of the first states. No product is above `largest`.
void CandidateFinder::Workspace::FindBest(float largest, size_t max_found) {
  constexpr float kMargin = 0.5f;
  // The cut is mostly near that of the interval before; a lower bound is used only if too few are above this one.
  const float lowest = min_product * largest;
  float bound = std::max(lowest, kMargin * cut_share * largest);
  const auto collect = [&] {
    return CollectAbove(products.data(), bound, products.size(), found.data(), values.data());
  };
  size_t size = collect();
  if (size < max_found && bound > lowest) {
    bound = lowest;
    size = collect();
  }
  num_found = std::min(size, max_found);
  if (size <= max_found) {
    if (bound == lowest) cut_share = 0;
    return;
  }
  Cut cut = FindCut(size, bound, largest, max_found);
  cut_share = cut.value / largest;
  size_t kept = 0;
  for (size_t k = 0; k < size; ++k) {  // no branches either: which states are kept cannot be predicted
    const bool is_tied = values[k] == cut.value && cut.ties > 0;
    found[kept] = found[k];
    cut.ties -= is_tied ? 1 : 0;
    kept += values[k] > cut.value || is_tied ? 1 : 0;
  }
}

CandidateFinder::CandidateFinder(float min_product) : workspace_(std::make_unique<Workspace>()) {
  workspace_->min_product = min_product;
}
CandidateFinder::~CandidateFinder() = default;
CandidateFinder::CandidateFinder(CandidateFinder&&) noexcept = default;

void CandidateFinder::Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                           const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out,
                           std::span<const float> weight) {
  Workspace& w = *workspace_;
  const size_t n = states.size();
  const size_t m = panel.num_typed();
  w.products.resize(n);
  w.found.resize(n);
  w.values.resize(n);
  w.cut_share = 0;
  candidates.Reset(panel.num_intervals());
  const auto is_needed = [&](size_t interval) { return weight.empty() || weight[interval] > 0; };

  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (!panel.is_anchor(interval) || !is_needed(interval)) return;
    const size_t copied = states.num_copied();
    const bool inner = interval > 0 && interval < m;
    const float switching = inner ? model.switch_probability[interval - 1] : 0.0f;
    const Moves f(forward, switching, copied), b(backward, switching, copied);
    const float largest = MultiplyTransitions(forward.values, f.half, backward.values, b.half, n, w.products.data());
    w.FindBest(largest, kMaxCandidates);

    const size_t first = candidates.AddSlots(interval, w.num_found);
    const float scale = static_cast<float>(copied);
    for (size_t k = 0; k < w.num_found; ++k) {
      const uint32_t s = w.found[k];
      const size_t slot = first + k;
      candidates.haplotype[slot] = states.haplotype(s, interval);
      const auto of_left = [&](const Transition& move) { return forward.values[s] * move.keep + move.jump; };
      const auto of_right = [&](const Transition& move) { return backward.values[s] * move.keep + move.jump; };
      candidates.forward[slot] = of_left(f.half) * scale;
      candidates.backward[slot] = of_right(b.half) * scale;
      const float middle = of_left(f.half) * of_right(b.half);
      candidates.at_left[slot] = of_left(f.none) * of_right(b.whole) / middle;
      candidates.at_right[slot] = of_left(f.whole) * of_right(b.none) / middle;
    }
  };
  const auto visit_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
    left_out[j] = is_needed(j) ? AltProbabilityWithoutOwnAllele(panel, model, target.alleles[j], j,
                                                                SumJointly(states, j, forward, backward))
                               : 0.0f;
  };
  if (left_out.empty()) {
    w.recursions.Run(panel, model, target, states, visit);
  } else {
    HS_ASSERT(left_out.size() == m);
    w.recursions.Run(panel, model, target, states, visit, visit_typed);
  }
}

}  // namespace haplospin
