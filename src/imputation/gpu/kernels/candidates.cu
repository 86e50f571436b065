// The candidates of each anchor (imputation/copying/copy_candidates.h) and the left-out probabilities of a target,
// which has a block.

namespace haplospin::kernels {

// The states that are kept: those with a product above `bar`, and the first `ties` of those that are equal to it.
struct Cut {
  uint32_t bar;  // bits of a product; positive floats have the order of their bits
  uint32_t ties;
};

// The products of the kMaxSlots best states, or of all above `bar` if they are not more.
__device__ __forceinline__ Cut FindCut(const States& states, const uint32_t (&product)[kPerLane], uint32_t bar,
                                       uint32_t largest) {
  uint32_t low = bar, high = largest, above = 0;  // `above` products are above `high`, more than kMaxSlots above `low`
  for (uint32_t limit = bar;;) {
    uint32_t count = 0;
    states.ForEach([&](uint32_t k) { count += product[k] > limit; });
    count = BlockSum(count);
    if (limit == bar && count <= kMaxSlots) return {bar, 0};
    if (count > kMaxSlots) {
      low = limit;
    } else {
      high = limit;
      above = count;
    }
    if (high - low <= 1 || above == kMaxSlots) break;
    limit = low + (high - low) / 2;
  }
  return {high, kMaxSlots - above};
}

// Writes the candidates of an anchor in ascending order of the states. `row` has the forward states at the typed marker
// on the left of its interval, `backward` those at the one on the right.
__device__ __forceinline__ void SelectCandidates(const KernelData& data, const States& states, uint32_t target,
                                                 uint32_t a, float switching, const Workspace& work, uint32_t row,
                                                 const Recursion& backward) {
  const GroupData& group = data.group;
  const float half = 1 - sqrtf(1 - switching);
  const float f_scale = 1 / work.sums[2 * row], b_scale = 1 / backward.sum;
  const float* forward = work.Row(states, row);
  const Move f_half = states.Through(f_scale, half), b_half = states.Through(b_scale, half);
  uint32_t product[kPerLane];
  float largest = 0;
  states.ForEachState([&](uint32_t k, bool is_state) {
    const float joint = is_state ? f_half(forward[k * kLanes]) * b_half(backward.value[k]) : 0;
    product[k] = __float_as_uint(joint);
    largest = fmaxf(largest, joint);
  });
  largest = BlockMax(largest);
  const Cut cut =
      FindCut(states, product, __float_as_uint(largest * data.window.min_product), __float_as_uint(largest));

  // Positions among the kept states: those of this warp follow those of the warps before it.
  uint32_t above = 0, tied = 0;
  states.ForEach([&](uint32_t k) {
    above += product[k] > cut.bar;
    tied += cut.ties > 0 && product[k] == cut.bar;
  });
  above = WarpSum(above);
  tied = WarpSum(tied);
  uint32_t ties_before = SumOfWarpsBefore(tied);
  const auto kept_ties = [&](uint32_t ties) { return min(ties, cut.ties); };
  uint32_t position = SumOfWarpsBefore(above + kept_ties(ties_before + tied) - kept_ties(ties_before));

  const Move f_none = states.Through(f_scale, 0), f_whole = states.Through(f_scale, switching);
  const Move b_none = states.Through(b_scale, 0), b_whole = states.Through(b_scale, switching);
  const uint64_t first_slot = (uint64_t{target} * data.window.num_anchors + a) * kMaxSlots;
  const float copied = 1 / states.share;
  float best_forward = 0, best_backward = 0;
  states.ForEach([&](uint32_t k) {
    const bool is_tied = cut.ties > 0 && product[k] == cut.bar;
    const uint32_t ties = __ballot_sync(kAllLanes, is_tied);
    const bool is_kept = product[k] > cut.bar || (is_tied && ties_before + BitsBefore(ties) < cut.ties);
    ties_before += __popc(ties);
    const uint32_t kept = __ballot_sync(kAllLanes, is_kept);
    if (is_kept) {
      const uint64_t slot = first_slot + position + BitsBefore(kept);
      const float f = forward[k * kLanes], b = backward.value[k];
      const float left = f_half(f), right = b_half(b), middle = 1 / (left * right);
      group.haplotype[slot] = states.first + k * kLanes + Lane();  // a state, until ListPeople()
      group.forward[slot] = left * copied;
      group.backward[slot] = right * copied;
      group.at_left[slot] = f_none(f) * b_whole(b) * middle;
      group.at_right[slot] = f_whole(f) * b_none(b) * middle;
      best_forward = fmaxf(best_forward, left * copied);
      best_backward = fmaxf(best_backward, right * copied);
    }
    position += __popc(kept);
  });
  best_forward = BlockMax(best_forward);
  best_backward = BlockMax(best_backward);
  const uint64_t at = uint64_t{target} * data.window.num_anchors + a;
  group.best_forward[at] = best_forward;  // the same in all threads
  group.best_backward[at] = best_backward;
  if (threadIdx.x == blockDim.x - 1) group.count[at] = position;
}

// The probability of ALT at a typed marker given all other alleles. Both recursions include the target's own allele,
// whose factor is divided out of each.
__device__ __forceinline__ float LeftOut(const States& states, const uint32_t (&bits)[kPerLane], uint32_t j,
                                         const Emission& emission, float alt_frequency, const Workspace& work,
                                         uint32_t row, const Recursion& backward) {
  const float* forward = work.Row(states, row);
  float alt = 0, ref = 0;
  states.ForEach([&](uint32_t k) {
    const float joint = forward[k * kLanes] * backward.value[k];
    alt += bits[k] >> j & 1 ? joint : 0;
    ref += bits[k] >> j & 1 ? 0 : joint;
  });
  alt = BlockSum(alt) / (emission.alt * emission.alt);
  ref = BlockSum(ref) / (emission.ref * emission.ref);
  float rest = states.without_state > 0 ? work.sums[2 * row + 1] * backward.rest / states.without_state : 0;
  rest /= emission.rest * emission.rest;
  return (alt + rest * alt_frequency) / (ref + alt + rest);
}

extern "C" __global__ void __launch_bounds__(kMaxWarps* kLanes, 2) RunRecursions(const KernelData data) {
  const WindowData& window = data.window;
  const GroupData& group = data.group;
  const uint32_t warps = blockDim.x / kLanes, typed = window.num_typed;
  const Workspace work(data, blockIdx.x, warps);
  for (uint32_t o = blockIdx.x; o < group.num_ordered; o += gridDim.x) {
    const uint32_t t = group.order[group.first_ordered + o];
    const Target target = group.targets[t];
    const StateSet set = group.sets[target.set];
    const States states = StatesOf(set, warps);
    const uint8_t* alleles = group.alleles + uint64_t{t} * typed;
    const float* weight =
        target.version == kNone ? nullptr : group.version_weight + uint64_t{target.version} * (typed + 1);
    const auto emission_at = [&](uint32_t j) {
      return EmissionOf(alleles[j], target.mismatch_probability, window.alt_frequency[j]);
    };
    const auto is_needed = [&](uint32_t interval) { return weight == nullptr || weight[interval] > 0; };
    // Adds the candidates of the anchor before `anchors_left`, if it stands for this interval.
    uint32_t anchors_left = window.num_anchors;
    const auto visit = [&](uint32_t interval, uint32_t row, const Recursion& backward) {
      if (anchors_left == 0 || window.anchors[anchors_left - 1].interval != interval) return;
      --anchors_left;
      if (is_needed(interval)) {
        const float switching = interval > 0 && interval < typed ? window.switching[interval] : 0;
        SelectCandidates(data, states, t, anchors_left, switching, work, row, backward);
      } else if (threadIdx.x == 0) {
        group.count[uint64_t{t} * window.num_anchors + anchors_left] = 0;
      }
    };
    const auto visit_typed = [&](uint32_t j, const uint32_t(&bits)[kPerLane], uint32_t row, const Recursion& backward) {
      const float left_out =
          is_needed(j) ? LeftOut(states, bits, j % 32, emission_at(j), window.alt_frequency[j], work, row, backward)
                       : 0;
      if (threadIdx.x == 0) group.left_out[uint64_t{t} * typed + j] = left_out;
    };
    RunForwardBackward(states, group.state_bits + set.first_bits + states.first, typed, window.switching, work,
                       emission_at, visit, visit_typed);
    __syncthreads();  // The workspace serves the next target.
  }
}

}  // namespace haplospin::kernels
