// The Li-Stephens recursions of a target (imputation/models/copying/forward_backward.h). A warp has 512 states of a target, 16
// in the registers of each lane; targets with more states have several warps. The forward states are kept before every
// 32nd typed marker, and computed again for the 32 markers that the backward recursion arrives at.
#pragma once

namespace haplospin::kernels {

// The probability of the target's allele if a state with REF or ALT is copied, or a haplotype without a state.
struct Emission {
  float ref, alt, rest;
};

// The states of one direction, times `sum`; `rest` is the total of the haplotypes without a state.
struct Recursion {
  float value[kPerLane];
  float sum, rest;
};

// value * keep + jump, as Transition of copying_kernels.h.
struct Move {
  float keep, jump;
  __device__ __forceinline__ float operator()(float value) const { return fmaf(value, keep, jump); }
};

// The states of this thread's warp.
struct States {
  static constexpr uint32_t kGroup = 8;

  uint32_t warps;       // of the target, which are adjacent
  uint32_t first;       // index of the warp's first state
  uint32_t count;       // states of the warp
  float share;          // 1 / haplotypes that can be copied
  float without_state;  // of these, haplotypes without a state

  // Calls visit(k) for the states of this lane, k * 32 + lane of the warp, in groups of eight. The last group can have
  // states that the target does not have; their values and products are 0.
  template <typename Visit>
  __device__ __forceinline__ void ForEach(Visit visit) const {
#pragma unroll
    for (uint32_t g = 0; g < kPerLane; g += kGroup) {
      if (g * kLanes >= count) continue;
#pragma unroll
      for (uint32_t k = g; k < g + kGroup; ++k) visit(k);
    }
  }

  // Calls visit(k, is_state). Complete groups need no comparison.
  template <typename Visit>
  __device__ __forceinline__ void ForEachState(Visit visit) const {
#pragma unroll
    for (uint32_t g = 0; g < kPerLane; g += kGroup) {
      if ((g + kGroup) * kLanes <= count) {
#pragma unroll
        for (uint32_t k = g; k < g + kGroup; ++k) visit(k, true);
      } else if (g * kLanes < count) {
#pragma unroll
        for (uint32_t k = g; k < g + kGroup; ++k) visit(k, k * kLanes + Lane() < count);
      }
    }
  }

  // Sums over the threads of the target's warps.
  __device__ __forceinline__ float Sum(float value) const {
    return SumOfWarps(value, WarpOfBlock() / warps * warps, warps);
  }

  // The transition with this switch probability of a recursion whose sum is 1 / `scale`.
  __device__ __forceinline__ Move Through(float scale, float switching) const {
    return {(1 - switching) * scale, switching * share};
  }
};

// The states of a set for this thread, where `warps` adjacent warps share a target.
__device__ __forceinline__ States MakeStates(const StateSet& set, uint32_t warps) {
  States states;
  states.warps = warps;
  states.first = WarpOfBlock() % warps * kStatesOfWarp;
  states.count = set.num_states > states.first ? min(set.num_states - states.first, kStatesOfWarp) : 0;
  states.share = 1 / static_cast<float>(set.num_copied);
  states.without_state = static_cast<float>(set.num_copied - set.num_states);
  return states;
}

__device__ __forceinline__ Emission MakeEmission(uint32_t allele, float mismatch, float alt_frequency) {
  if (allele == kMissing) return {1, 1, 1};
  const float frequency = allele == 1 ? alt_frequency : 1 - alt_frequency;
  const float rest = frequency * (1 - mismatch) + (1 - frequency) * mismatch;
  return allele == 1 ? Emission{mismatch, 1 - mismatch, rest} : Emission{1 - mismatch, mismatch, rest};
}

// A step through an interval and past a typed marker, bit j of `bits`.
__device__ __forceinline__ void Step(const States& states, const uint32_t (&bits)[kPerLane], uint32_t j,
                                     float switching, const Emission& emission, Recursion& recursion) {
  const Move move = states.Through(1 / recursion.sum, switching);
  const uint32_t marker = 1u << j;
  float sum = 0;
  states.ForEachState([&](uint32_t k, bool is_state) {
    const float moved = move(recursion.value[k]) * ((bits[k] & marker) != 0 ? emission.alt : emission.ref);
    recursion.value[k] = is_state ? moved : 0;
    sum += recursion.value[k];
  });
  recursion.rest = fmaf(recursion.rest, move.keep, move.jump * states.without_state) * emission.rest;
  recursion.sum = states.Sum(sum) + recursion.rest;
}

__device__ __forceinline__ void StartUniform(const States& states, Recursion& recursion) {
  states.ForEachState([&](uint32_t k, bool is_state) { recursion.value[k] = is_state ? states.share : 0; });
  recursion.rest = states.without_state * states.share;
  recursion.sum = 1;
}

__device__ __forceinline__ void LoadBits(const States& states, const uint32_t* warp_bits, uint32_t (&bits)[kPerLane]) {
  states.ForEach([&](uint32_t k) { bits[k] = __ldg(warp_bits + k * kLanes + Lane()); });
}

// Rows of the workspace, each with the values of all warps, and the sums of each row after them.
struct Workspace {
  float* rows;
  float* sums;  // [rows, 2]
  uint32_t stride;

  // Workspace `index` of those that GroupData::work has for targets of `warps` warps.
  __device__ __forceinline__ Workspace(const KernelData& data, uint32_t index, uint32_t warps)
      : rows(data.group.work + index * WorkOfHaplotype(data.window.num_typed, warps)),
        sums(rows + uint64_t{NumWords(data.window.num_typed) + 32} * warps * kStatesOfWarp),
        stride(warps * kStatesOfWarp) {}

  __device__ __forceinline__ float* Row(const States& states, uint32_t row) const {
    return rows + uint64_t{row} * stride + states.first + Lane();
  }
  __device__ __forceinline__ void Store(const States& states, uint32_t row, const Recursion& recursion) const {
    float* to = Row(states, row);
    states.ForEach([&](uint32_t k) { to[k * kLanes] = recursion.value[k]; });
    sums[2 * row] = recursion.sum;  // the same in all threads
    sums[2 * row + 1] = recursion.rest;
  }
  __device__ __forceinline__ void Load(const States& states, uint32_t row, Recursion& recursion) const {
    const float* from = Row(states, row);
    states.ForEach([&](uint32_t k) { recursion.value[k] = from[k * kLanes]; });
    recursion.sum = sums[2 * row];
    recursion.rest = sums[2 * row + 1];
  }
};

// Runs both recursions of a target with these states, whose alleles are `state_bits`. Calls visit(i, row, backward) for
// the intervals from the last to the first, where `row` of the workspace has the forward states at the typed marker on
// the left of the interval, and `backward` those at the one on its right. Calls visit_typed(j, bits, row, backward) for
// each typed marker, between the intervals on its right and on its left, with both states at the marker.
template <typename EmissionAt, typename Visit, typename VisitTyped>
__device__ __forceinline__ void RunForwardBackward(const States& states, const uint32_t* state_bits, uint32_t typed,
                                                   const float* switching, const Workspace& work,
                                                   EmissionAt emission_at, Visit visit, VisitTyped visit_typed) {
  const uint32_t blocks = NumWords(typed);
  {
    uint32_t bits[kPerLane];
    Recursion forward;
    StartUniform(states, forward);
    for (uint32_t block = 0; block < blocks; ++block) {
      work.Store(states, block, forward);
      if (block + 1 == blocks) break;
      LoadBits(states, state_bits + uint64_t{block} * work.stride, bits);
#pragma unroll 1
      for (uint32_t j = 32 * block; j < 32 * (block + 1); ++j) {
        Step(states, bits, j % 32, switching[j], emission_at(j), forward);
      }
    }
  }
  Recursion backward;
  StartUniform(states, backward);
  for (uint32_t block = blocks; block-- > 0;) {
    const uint32_t begin = 32 * block, end = min(typed, begin + 32);
    const uint32_t* block_bits = state_bits + uint64_t{block} * work.stride;
    uint32_t bits[kPerLane];
    LoadBits(states, block_bits, bits);
    {
      Recursion forward;
      work.Load(states, block, forward);
#pragma unroll 1
      for (uint32_t j = begin; j < end; ++j) {
        Step(states, bits, j % 32, switching[j], emission_at(j), forward);
        work.Store(states, blocks + j % 32, forward);
      }
    }
#pragma unroll 1
    for (uint32_t i = end;; --i) {                              // interval, on the right of typed marker j
      const uint32_t row = i == 0 ? 0 : blocks + (i - 1) % 32;  // Row 0 is the uniform state.
      visit(i, row, backward);
      if (i == 0) break;
      const uint32_t j = i - 1;
      Step(states, bits, j % 32, i < typed ? switching[i] : 0, emission_at(j), backward);
      visit_typed(j, bits, row, backward);
      if (j == begin && j > 0) break;
    }
  }
}

}  // namespace haplospin::kernels
