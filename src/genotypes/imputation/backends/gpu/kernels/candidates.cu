// The candidates of each anchor (imputation/models/copying/copy_candidates.h) and the left-out probabilities of a target,
// which has a block.

namespace haplospin::kernels {

// The states that are kept: those with a product above `bar`, and the first `ties` of those that are equal to it.
struct Cut {
  uint32_t bar;  // bits of a product; positive floats have the order of their bits
  uint32_t ties;
};

// Products are counted by their bits, from the leading ones on: the first buckets are four for each of 32 powers of
// two, and those after them divide one bucket by seven more bits.
inline constexpr uint32_t kBuckets = 128, kBitsOfLevel = 7, kLeadingShift = 21;

// The bucket that has the `needed`-th of the counted products, from the largest down, and the products above it.
struct Bucket {
  uint32_t index, above;
};

__device__ __forceinline__ Bucket FindBucket(const uint32_t* in_bucket, uint32_t needed) {
  constexpr uint32_t kLaneBuckets = kBuckets / kLanes;
  const uint32_t* own = in_bucket + Lane() * kLaneBuckets;
  uint32_t sum = 0;  // of this lane and those above it
#pragma unroll
  for (uint32_t b = 0; b < kLaneBuckets; ++b) sum += own[b];
  for (uint32_t distance = 1; distance < kLanes; distance *= 2) {
    const uint32_t other_sum = __shfl_down_sync(kAllLanes, sum, distance);
    sum += Lane() + distance < kLanes ? other_sum : 0;
  }
  const uint32_t lane = 31 - __clz(__ballot_sync(kAllLanes, sum >= needed));
  uint32_t index = lane * kLaneBuckets,
           from = __shfl_sync(kAllLanes, sum, lane);  // products in this bucket or above it
  for (; from - in_bucket[index] >= needed; ++index) from -= in_bucket[index];
  return {index, from - in_bucket[index]};
}

// The number of products above `limit`; all are bits of positive floats.
__device__ __forceinline__ uint32_t CountAbove(const States& states, const uint32_t (&product)[kPerLane],
                                               uint32_t limit) {
  uint32_t count = 0;
  states.ForEach([&](uint32_t k) { count += (limit - product[k]) >> 31; });
  return BlockSum(count);
}

// The cut for the products of the `most` best states, or of all above `bar` if they are not more.
__device__ __forceinline__ Cut FindCut(const States& states, const uint32_t (&product)[kPerLane], uint32_t bar,
                                       uint32_t largest, uint32_t most) {
  __shared__ uint32_t in_bucket[kBuckets];
  if (CountAbove(states, product, bar) <= most) return {bar, 0};
  uint32_t needed = most, shift = kLeadingShift, first = (largest >> shift) - min(largest >> shift, kBuckets - 1);
  if (bar < first << shift) {  // The smallest products have no bucket.
    bar = first << shift;
    if (CountAbove(states, product, bar) <= most) return {bar, 0};
  }
#pragma unroll 1
  for (;;) {
    for (uint32_t b = threadIdx.x; b < kBuckets; b += blockDim.x) in_bucket[b] = 0;
    __syncthreads();
    states.ForEach([&](uint32_t k) {
      const uint32_t bucket = (product[k] >> shift) - first;
      if (product[k] > bar && bucket < kBuckets) atomicAdd(in_bucket + bucket, 1u);
    });
    __syncthreads();
    const Bucket found = FindBucket(in_bucket, needed);
    const bool takes_all = in_bucket[found.index] == needed - found.above;
    __syncthreads();  // The next level counts again.
    needed -= found.above;
    first += found.index;
    if (takes_all) return {max(bar, (first << shift) - 1), 0};
    if (shift == 0) return {first, needed};
    shift -= kBitsOfLevel;
    first <<= kBitsOfLevel;
  }
}

// A state that is kept, and its backward value.
struct Kept {
  uint32_t state;
  float backward;
};

// Sets `kept` to the states at or above the cut, in ascending order, and returns their number.
__device__ __forceinline__ uint32_t CollectKept(const States& states, const uint32_t (&product)[kPerLane],
                                                const Cut& cut, const Recursion& backward, Kept* kept) {
  // Those of this warp follow those of the warps before it. A sum has both counts: there are less than 2^16 states.
  uint32_t counts = 0;
  states.ForEach([&](uint32_t k) {
    counts += product[k] > cut.bar;
    counts += cut.ties > 0 && product[k] == cut.bar ? 1u << 16 : 0;
  });
  counts = WarpSum(counts);
  const uint32_t above = counts & 0xffff, tied = counts >> 16;
  uint32_t ties_before = SumWarps(tied).before;
  const auto kept_ties = [&](uint32_t ties) { return min(ties, cut.ties); };
  const SumsOfWarps places = SumWarps(above + kept_ties(ties_before + tied) - kept_ties(ties_before));
  uint32_t place = places.before;
  states.ForEach([&](uint32_t k) {
    const bool is_tied = cut.ties > 0 && product[k] == cut.bar;
    const uint32_t ties = __ballot_sync(kAllLanes, is_tied);
    const bool is_kept = product[k] > cut.bar || (is_tied && ties_before + BitsBefore(ties) < cut.ties);
    ties_before += __popc(ties);
    const uint32_t all = __ballot_sync(kAllLanes, is_kept);
    if (is_kept) kept[place + BitsBefore(all)] = {states.first + k * kLanes + Lane(), backward.value[k]};
    place += __popc(all);
  });
  return places.all;
}

// Writes the candidates of an anchor in ascending order of the states. `row` has the forward states at the typed marker
// on the left of its interval, `backward` those at the one on the right. The states that are kept are collected before
// the candidates are computed, one in each thread, because a load for each state would wait for the one before.
__device__ __forceinline__ void SelectCandidates(const KernelData& data, const States& states, uint32_t target,
                                                 uint32_t a, float switching, const Workspace& work, uint32_t row,
                                                 const Recursion& backward) {
  __shared__ Kept kept[kMaxSlots];
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
  const Cut cut = FindCut(states, product, __float_as_uint(largest * data.window.min_product), __float_as_uint(largest),
                          data.window.max_candidates);
  const uint32_t count = CollectKept(states, product, cut, backward, kept);
  __syncthreads();

  const Move f_none = states.Through(f_scale, 0), f_whole = states.Through(f_scale, switching);
  const Move b_none = states.Through(b_scale, 0), b_whole = states.Through(b_scale, switching);
  const uint32_t at = target * data.window.num_anchors + a;
  float best_forward = 0, best_backward = 0;
#pragma unroll 1
  for (uint32_t c = threadIdx.x; c < count; c += blockDim.x) {
    const uint64_t slot = uint64_t{at} * kMaxSlots + c;
    const uint32_t state = kept[c].state;
    const float f = work.rows[uint64_t{row} * work.stride + state], b = kept[c].backward;
    const float left = f_half(f), right = b_half(b), middle = 1 / (left * right);
    group.state[slot] = state;
    group.forward[slot] = left / states.share;
    group.backward[slot] = right / states.share;
    group.at_left[slot] = f_none(f) * b_whole(b) * middle;
    group.at_right[slot] = f_whole(f) * b_none(b) * middle;
    best_forward = fmaxf(best_forward, left / states.share);
    best_backward = fmaxf(best_backward, right / states.share);
  }
  best_forward = BlockMax(best_forward);
  best_backward = BlockMax(best_backward);
  if (threadIdx.x == 0) {
    group.best_forward[at] = best_forward;
    group.best_backward[at] = best_backward;
    group.count[at] = count;
  }
  __syncthreads();  // `kept` serves the next anchor.
}

// The probability of ALT at a typed marker given all other alleles. Both recursions include the target's own allele,
// whose factor is divided out of each.
__device__ __forceinline__ float LeftOut(const States& states, const uint32_t (&bits)[kPerLane], uint32_t j,
                                         const Emission& emission, float alt_frequency, const Workspace& work,
                                         uint32_t row, const Recursion& backward) {
  const float* forward = work.Row(states, row);
  const uint32_t marker = 1u << j;
  float alt = 0, ref = 0;
  states.ForEach([&](uint32_t k) {
    const float joint = forward[k * kLanes] * backward.value[k];
    alt += (bits[k] & marker) != 0 ? joint : 0;
    ref += (bits[k] & marker) != 0 ? 0 : joint;
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
  const uint32_t t = group.order[group.first_ordered + blockIdx.x];
  const Target target = group.targets[t];
  const StateSet set = group.sets[target.set];
  const States states = MakeStates(set, warps);
  const uint8_t* alleles = group.alleles + uint64_t{t} * typed;
  const float* weight =
      target.version == kNone ? nullptr : group.version_weight + uint64_t{target.version} * (typed + 1);
  const auto emission_at = [&](uint32_t j) {
    return MakeEmission(alleles[j], target.mismatch_probability, window.alt_frequency[j]);
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
        is_needed(j) ? LeftOut(states, bits, j % 32, emission_at(j), window.alt_frequency[j], work, row, backward) : 0;
    if (threadIdx.x == 0) group.left_out[uint64_t{t} * typed + j] = left_out;
  };
  RunForwardBackward(states, group.state_bits + set.first_bits + states.first, typed, window.switching, work,
                     emission_at, visit, visit_typed);
}

}  // namespace haplospin::kernels
