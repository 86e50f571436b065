// The likelihood ratios of errors in the phase of a sample (imputation/models/phase_errors/phase_errors.h). The recursions of
// its two haplotypes, targets with the same states, run side by side in the two halves of a block. Each half has its
// backward states in registers, and reads the forward states of both.

namespace haplospin::kernels {

// The likelihood of the alleles on both sides of an interval, divided by the likelihoods of each side alone.
__device__ __forceinline__ float Joined(const States& states, const Workspace& work, uint32_t row,
                                        const Recursion& backward, float switching) {
  const float* forward = work.Row(states, row);
  float joint = 0;
  states.ForEach([&](uint32_t k) { joint = fmaf(forward[k * kLanes], backward.value[k], joint); });
  joint = states.Sum(joint);
  if (states.without_state > 0) joint += work.sums[2 * row + 1] * backward.rest / states.without_state;
  return (1 - switching) * joint / work.sums[2 * row] + switching * backward.sum * states.share;
}

// A block has the two haplotypes of a phase.
extern "C" __global__ void __launch_bounds__(2 * kMaxWarps * kLanes) ExaminePhase(const KernelData data) {
  __shared__ float log_joined[2][2];  // [haplotype of the backward states, of the forward states]
  const WindowData& window = data.window;
  const GroupData& group = data.group;
  const uint32_t warps = blockDim.x / kLanes / 2, typed = window.num_typed;
  const uint32_t haplotype = WarpOfBlock() / warps;
  const Workspace own(data, 2 * blockIdx.x + haplotype, warps), other(data, 2 * blockIdx.x + 1 - haplotype, warps);
  const uint32_t phase = group.order[group.first_ordered + blockIdx.x];
  const Target target = group.targets[2 * phase + haplotype];
  const StateSet set = group.sets[target.set];
  const States states = MakeStates(set, warps);
  const uint8_t* first = group.alleles + uint64_t{2 * phase} * typed;
  const uint8_t* second = first + typed;
  const uint8_t* alleles = haplotype == 0 ? first : second;
  const auto emission_at = [&](uint32_t j) {
    return MakeEmission(alleles[j], target.mismatch_probability, window.alt_frequency[j]);
  };
  const auto visit = [&](uint32_t i, uint32_t row, const Recursion& backward) {
    if (i == 0 || i == typed || first[i] == second[i] || first[i] == kMissing || second[i] == kMissing) return;
    __syncthreads();  // The forward states of the other half are there, and log_joined was read.
    const float switching = window.estimated_switching[i];
    const float with_own = Joined(states, own, row, backward, switching);
    const float with_other = Joined(states, other, row, backward, switching);
    if (threadIdx.x % (warps * kLanes) == 0) {
      log_joined[haplotype][haplotype] = logf(with_own);
      log_joined[haplotype][1 - haplotype] = logf(with_other);
    }
    __syncthreads();  // The other half may replace its forward states.
    if (threadIdx.x > 0) return;
    group.phase_ratio[uint64_t{phase} * typed + i] =
        log_joined[0][1] + log_joined[1][0] - log_joined[0][0] - log_joined[1][1];
  };
  RunForwardBackward(states, group.state_bits + set.first_bits + states.first, typed, window.estimated_switching, own,
                     emission_at, visit, [](uint32_t, const uint32_t(&)[kPerLane], uint32_t, const Recursion&) {});
}

}  // namespace haplospin::kernels
