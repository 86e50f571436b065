#include "genotypes/imputation/models/copying/copy_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "haplospin/errors.h"

namespace haplospin {
namespace {

// The transitions from one end of an interval to the same end, to its middle, and to the other end.
struct Moves {
  Moves(const CopyState& state, float switch_probability, size_t num_copied)
      : none(state.Move(0, num_copied)),
        half(state.Move(1 - std::sqrt(1 - switch_probability), num_copied)),
        whole(state.Move(switch_probability, num_copied)) {}

  Transition none, half, whole;
};

// Moves candidates from the ends of an interval to its middle, and sets their factors at the ends. On entry `forward`
// and `backward` have the values of the states. The rows do not overlap, so that the compiler uses vectors.
void MoveCandidates(const Moves& f, const Moves& b, float scale, size_t count, float* __restrict forward,
                    float* __restrict backward, float* __restrict at_left, float* __restrict at_right) {
  for (size_t k = 0; k < count; ++k) {
    const float left = forward[k], right = backward[k];
    const float left_half = left * f.half.keep + f.half.jump, right_half = right * b.half.keep + b.half.jump;
    const float middle = left_half * right_half;
    forward[k] = left_half * scale;
    backward[k] = right_half * scale;
    at_left[k] = (left * f.none.keep + f.none.jump) * (right * b.whole.keep + b.whole.jump) / middle;
    at_right[k] = (left * f.whole.keep + f.whole.jump) * (right * b.none.keep + b.none.jump) / middle;
  }
}

}  // namespace

void CopyCandidates::Reset(size_t intervals) {
  count.assign(intervals, 0);
  first_slot.assign(intervals, 0);
  haplotype.clear();
  for (std::vector<float>* values : {&forward, &backward, &at_left, &at_right}) values->clear();
}

size_t CopyCandidates::AddSlots(size_t i, size_t num_candidates) {
  const size_t first = haplotype.size();
  count[i] = static_cast<uint16_t>(num_candidates);
  first_slot[i] = static_cast<uint32_t>(first);
  haplotype.resize(first + num_candidates);
  for (std::vector<float>* values : {&forward, &backward, &at_left, &at_right}) values->resize(first + num_candidates);
  return first;
}

// Finds the rank-th largest, from 1, of the first `size` values, which are between `min_value` >= 0 and `largest`. Such
// numbers have the order of their bits: they are counted by the leading bits, and only those of one count are sorted.
CandidateFinder::Cut CandidateFinder::FindCut(size_t size, float min_value, float largest, size_t rank) {
  constexpr int kShift = 18;  // leaves the exponent and five bits of the fraction
  const auto leading = [](float value) { return std::bit_cast<uint32_t>(value) >> kShift; };
  const uint32_t lowest = leading(min_value);
  counts_.assign(leading(largest) - lowest + 1, 0);
  for (size_t k = 0; k < size; ++k) ++counts_[leading(values_[k]) - lowest];
  size_t bucket = counts_.size() - 1;
  for (; counts_[bucket] < rank; --bucket) rank -= counts_[bucket];
  ranked_.resize(size);
  size_t equal = 0;                    // number of values in the bucket
  for (size_t k = 0; k < size; ++k) {  // A branch could not be predicted, so there is none.
    ranked_[equal] = values_[k];
    equal += leading(values_[k]) - lowest == bucket ? 1 : 0;
  }
  const auto at = ranked_.begin() + static_cast<ptrdiff_t>(rank) - 1;
  std::nth_element(ranked_.begin(), at, ranked_.begin() + static_cast<ptrdiff_t>(equal), std::greater<>());
  const auto larger = std::count_if(ranked_.begin(), at, [&](float value) { return value > *at; });
  return {.value = *at, .ties = rank - static_cast<size_t>(larger)};
}

// Sets found_ to the states with products above min_product_ * `largest`. If there are more than max_candidates_, the
// largest products are kept, and of equal ones those of the first states. No product is above `largest`.
void CandidateFinder::FindBest(float largest) {
  constexpr float kMargin = 0.5f;
  // The cut is mostly near that of the interval before: a lower bound is used only if too few products are above it.
  const float lowest = min_product_ * largest;
  float bound = std::max(lowest, kMargin * cut_share_ * largest);
  const auto collect = [&] {
    return CollectAbove(products_.data(), bound, products_.size(), found_.data(), values_.data());
  };
  size_t size = collect();
  if (size < max_candidates_ && bound > lowest) {
    bound = lowest;
    size = collect();
  }
  num_found_ = std::min(size, max_candidates_);
  if (size <= max_candidates_) {
    if (bound == lowest) cut_share_ = 0;
    return;
  }
  Cut cut = FindCut(size, bound, largest, max_candidates_);
  cut_share_ = cut.value / largest;
  size_t kept = 0;
  for (size_t k = 0; k < size; ++k) {  // A branch could not be predicted, so there is none.
    const bool is_tied = values_[k] == cut.value && cut.ties > 0;
    found_[kept] = found_[k];
    cut.ties -= is_tied ? 1 : 0;
    kept += values_[k] > cut.value || is_tied ? 1 : 0;
  }
}

void CandidateFinder::Find(const TypedPanel& panel, const CopyingModel& model, const TargetHaplotype& target,
                           const CopyingStates& states, CopyCandidates& candidates, std::span<float> left_out,
                           std::span<const float> weight) {
  const size_t n = states.size();
  const size_t m = panel.num_typed();
  HS_ASSERT(left_out.empty() || left_out.size() == m);
  products_.resize(n);
  found_.resize(n);
  values_.resize(n);
  cut_share_ = 0;
  candidates.Reset(panel.num_intervals());
  const auto is_needed = [&](size_t interval) { return weight.empty() || weight[interval] > 0; };

  const auto visit = [&](size_t interval, const CopyState& forward, const CopyState& backward) {
    if (!panel.is_anchor(interval) || !is_needed(interval)) return;
    const size_t copied = states.num_copied();
    const bool inner = interval > 0 && interval < m;
    const float switching = inner ? model.switch_probability[interval - 1] : 0.0f;
    const Moves f(forward, switching, copied), b(backward, switching, copied);
    const float largest = MultiplyTransitions(forward.values, f.half, backward.values, b.half, n, products_.data());
    FindBest(largest);

    const size_t first = candidates.AddSlots(interval, num_found_);
    for (size_t k = 0; k < num_found_; ++k) {
      const uint32_t s = found_[k];
      candidates.haplotype[first + k] = states.haplotype(s, interval);
      candidates.forward[first + k] = forward.values[s];
      candidates.backward[first + k] = backward.values[s];
    }
    MoveCandidates(f, b, static_cast<float>(copied), num_found_, candidates.forward.data() + first,
                   candidates.backward.data() + first, candidates.at_left.data() + first,
                   candidates.at_right.data() + first);
  };
  const auto visit_typed = [&](size_t j, const CopyState& forward, const CopyState& backward) {
    if (left_out.empty()) return;
    left_out[j] = is_needed(j) ? AltProbabilityWithoutOwnAllele(panel, model, target.alleles[j], j,
                                                                SumJointly(states, j, forward, backward))
                               : 0.0f;
  };
  recursions_.Run(panel, model, target, states, visit, visit_typed);
}

}  // namespace haplospin
