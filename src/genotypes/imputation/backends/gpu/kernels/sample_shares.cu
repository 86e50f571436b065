// The share of each panel sample in what a study sample copies elsewhere in the window (imputation/models/copying/ancestry.h).
// A block has one study sample. Sums over candidates are sums of whole numbers, so that they do not depend on their
// order.

namespace haplospin::kernels {

// Calls visit(anchor, its first slot, number of candidates) for the anchors of a target, which the warps of the block
// share.
template <typename Visit>
__device__ __forceinline__ void ForEachAnchor(const KernelData& data, uint32_t target, Visit visit) {
  const uint32_t anchors = data.window.num_anchors;
  for (uint32_t a = WarpOfBlock(); a < anchors; a += kWarpsOfBlock) {
    const uint64_t at = uint64_t{target} * anchors + a;
    visit(a, at * kMaxSlots, data.group.count[at]);
  }
}

// The haplotype that a state stands for at the typed marker on the left of an interval.
__device__ __forceinline__ uint32_t FindHaplotype(const GroupData& group, const StateSet& set, uint32_t state,
                                                uint32_t interval) {
  const uint32_t marker = interval == 0 ? 0 : interval - 1;
  const uint32_t* first = group.first_segment + set.first_state + state;
  uint32_t low = first[0], high = first[1];  // segment `low` is the last known to begin early enough
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (group.segments[middle].begin <= marker) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return group.segments[low].haplotype;
}

// Finds the haplotypes of the candidates from their states, lists the haplotypes' panel samples as bits, and counts
// these.
extern "C" __global__ void __launch_bounds__(kThreads) ListPeople(const KernelData data) {
  const uint32_t words = NumWords(data.window.num_samples);
  const Sample sample = data.group.samples[blockIdx.x];
  uint32_t* is_candidate = data.group.is_candidate + uint64_t{blockIdx.x} * words;
  uint32_t* people_before = data.group.people_before + uint64_t{blockIdx.x} * words;
  for (uint32_t w = threadIdx.x; w < words; w += kThreads) is_candidate[w] = 0;
  __syncthreads();
  for (uint32_t t = sample.first_target; t < sample.first_target + sample.num_targets; ++t) {
    const StateSet set = data.group.sets[data.group.targets[t].set];
    ForEachAnchor(data, t, [&](uint32_t a, uint64_t first_slot, uint32_t count) {
      for (uint32_t k = Lane(); k < count; k += kLanes) {
        const uint32_t state = data.group.state[first_slot + k];
        const uint32_t haplotype = FindHaplotype(data.group, set, state, data.window.anchors[a].interval);
        data.group.haplotype[first_slot + k] = haplotype;
        const uint32_t person = data.window.sample_of[haplotype];
        atomicOr(is_candidate + person / 32, 1u << person % 32);
      }
    });
  }
  __syncthreads();
  // Each thread counts a run of words, after the people in the runs of the threads before it.
  __shared__ uint32_t thread_people[kThreads];
  const uint32_t run = (words + kThreads - 1) / kThreads;
  const uint32_t begin = min(words, threadIdx.x * run), end = min(words, begin + run);
  uint32_t people = 0;
  for (uint32_t w = begin; w < end; ++w) people += __popc(is_candidate[w]);
  thread_people[threadIdx.x] = people;
  __syncthreads();
  uint32_t before = 0;
  for (uint32_t i = 0; i < threadIdx.x; ++i) before += thread_people[i];
  for (uint32_t w = begin; w < end; ++w) {
    people_before[w] = before;
    before += __popc(is_candidate[w]);
  }
  if (threadIdx.x == kThreads - 1) data.group.num_people[blockIdx.x] = before;
}

// Adds the cM that the sample's most probable haplotypes copy from each person, where `share` weighs the people: to
// `copied` by block of the window if it is not null, else to `everywhere`.
__device__ void CountCopied(const KernelData& data, const Sample& sample, const float* share, uint64_t* copied,
                            uint64_t* everywhere) {
  for (uint32_t t = sample.first_target; t < sample.first_target + sample.ploidy; ++t) {
    ForEachAnchor(data, t, [&](uint32_t a, uint64_t first_slot, uint32_t count) {
      const Anchor anchor = data.window.anchors[a];
      if (anchor.length <= 0) return;
      float weight[kMaxSlots / kLanes], total = 0;
      uint32_t person[kMaxSlots / kLanes];
#pragma unroll
      for (uint32_t i = 0; i < kMaxSlots / kLanes; ++i) {
        const uint32_t k = i * kLanes + Lane();
        weight[i] = 0;
        if (k >= count) continue;
        person[i] = FindPerson(data, blockIdx.x, data.group.haplotype[first_slot + k]);
        weight[i] = data.group.forward[first_slot + k] * data.group.backward[first_slot + k] *
                    (share == nullptr ? 1 : share[person[i]]);
        total += weight[i];
      }
      total = WarpSum(total);
      if (!(total > 0)) return;
      const float scale = anchor.length / total * kCopiedUnit;
#pragma unroll
      for (uint32_t i = 0; i < kMaxSlots / kLanes; ++i) {
        if (i * kLanes + Lane() >= count) continue;
        uint64_t* to = copied == nullptr ? everywhere : copied + uint64_t{anchor.block} * sample.num_people;
        atomicAdd(to + person[i], static_cast<uint64_t>(scale * weight[i]));
      }
    });
  }
}

__device__ __forceinline__ float Centimorgans(uint64_t steps) { return static_cast<float>(steps) / kCopiedUnit; }

// Sets the log of each person's share outside each block and its neighbors, relative to equal shares.
__device__ void FindLogShares(const KernelData& data, const Sample& sample, const uint64_t* everywhere,
                              const uint64_t* copied, float* log_share) {
  const WindowData& window = data.window;
  const float even = static_cast<float>(window.num_samples), ploidy = static_cast<float>(sample.ploidy);
  for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) {
    for (uint32_t b = 0; b < window.num_blocks; ++b) {
      uint64_t elsewhere = everywhere[p];
      float outside = window.total_length * ploidy;
      for (uint32_t near = b == 0 ? 0 : b - 1; near <= min(b + 1, window.num_blocks - 1); ++near) {
        elsewhere -= copied[uint64_t{near} * sample.num_people + p];
        outside -= window.block_length[near] * ploidy;
      }
      log_share[uint64_t{b} * sample.num_people + p] =
          logf((Centimorgans(elsewhere) * even + ancestry::kEvenCentimorgans) /
               (fmaxf(outside, 0) + ancestry::kEvenCentimorgans));
    }
  }
}

// Runs expectation-maximization for the mixture of populations of a sample, as PanelPopulations::Update().
__device__ void UpdateMixture(const KernelData& data, const Sample& sample, const uint32_t* people,
                              const uint64_t* everywhere, float (&mixture)[kPopulations]) {
  const float total = data.window.total_length * static_cast<float>(sample.ploidy);
  const float scale = total > 0 ? fminf(population_mixture::kObservationsPerCentimorgan, population_mixture::kMaxObservations / total) : 0;
  for (int round = 0; round < ancestry::kMixtureRounds; ++round) {
    float updated[kPopulations] = {};
    for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) {
      if (everywhere[p] == 0) continue;
      const float* share = data.window.populations + uint64_t{people[p]} * kPopulations;
      float joint[kPopulations], sum = 0;
#pragma unroll
      for (uint32_t k = 0; k < kPopulations; ++k) {
        joint[k] = mixture[k] * share[k];
        sum += joint[k];
      }
      const float weight = scale * Centimorgans(everywhere[p]) / (sum + population_mixture::kMinProbability);
#pragma unroll
      for (uint32_t k = 0; k < kPopulations; ++k) updated[k] = fmaf(joint[k], weight, updated[k]);
    }
    float sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < kPopulations; ++k) {
      updated[k] = BlockSum(updated[k]) + population_mixture::kPrior;
      sum += updated[k];
    }
#pragma unroll
    for (uint32_t k = 0; k < kPopulations; ++k) mixture[k] = updated[k] / sum;
  }
}

// Sets each person's share of the mixture, relative to equal shares of all samples.
__device__ void FindShares(const KernelData& data, const Sample& sample, const uint32_t* people,
                           const float (&mixture)[kPopulations], float* share) {
  for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) {
    const float* person_shares = data.window.populations + uint64_t{people[p]} * kPopulations;
    float sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < kPopulations; ++k) sum = fmaf(mixture[k], person_shares[k], sum);
    share[p] = fmaxf(sum * static_cast<float>(data.window.num_samples), population_mixture::kMinShare);
  }
}

// Sets the logarithms of the shares. `copied` must be 0.
extern "C" __global__ void __launch_bounds__(kThreads, 2) FindSampleShares(const KernelData data) {
  const Sample sample = data.group.samples[blockIdx.x];
  const uint32_t words = NumWords(data.window.num_samples);
  uint32_t* people = data.group.people + sample.first_person;
  uint64_t* everywhere = data.group.everywhere + sample.first_person;
  float* share = data.group.share + sample.first_person;
  uint64_t* copied = data.group.copied + sample.first_copied;
  for (uint32_t w = threadIdx.x; w < words; w += kThreads) {
    const uint64_t at = uint64_t{blockIdx.x} * words + w;
    uint32_t person = data.group.people_before[at];
    for (uint32_t left = data.group.is_candidate[at]; left != 0; left &= left - 1) {
      people[person++] = w * 32 + __ffs(left) - 1;
    }
  }
  CountCopied(data, sample, nullptr, copied, nullptr);
  __syncthreads();
  for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) {
    everywhere[p] = 0;
    for (uint32_t b = 0; b < data.window.num_blocks; ++b) everywhere[p] += copied[uint64_t{b} * sample.num_people + p];
  }
  __syncthreads();
  FindLogShares(data, sample, everywhere, copied, data.group.log_share + sample.first_copied);

  float mixture[kPopulations];
#pragma unroll
  for (uint32_t k = 0; k < kPopulations; ++k) mixture[k] = 1.0f / kPopulations;
  for (int round = 0; round < ancestry::kCopyingRounds; ++round) {
    if (round > 0) {
      __syncthreads();
      for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) everywhere[p] = 0;
      __syncthreads();
      CountCopied(data, sample, share, nullptr, everywhere);
      __syncthreads();
    }
    UpdateMixture(data, sample, people, everywhere, mixture);
    FindShares(data, sample, people, mixture, share);
  }
  for (uint32_t p = threadIdx.x; p < sample.num_people; p += kThreads) {
    data.group.population_log_share[sample.first_person + p] = logf(share[p]);
  }
}

}  // namespace haplospin::kernels
