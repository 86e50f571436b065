// The attention over the candidates of each anchor: their features (imputation/models/copying/match_features.h), the copy
// network, and the weights at both ends of the interval (imputation/models/network/network_kernels.h).

namespace haplospin::kernels {

// The typed markers at which a haplotype and a target differ (imputation/models/copying/haplotype_rows.h).
struct Differences {
  const uint32_t* reference;
  const uint32_t* target;
  const uint32_t* observed;
  int32_t num_typed;

  __device__ __forceinline__ uint32_t operator[](int32_t word) const {
    return (__ldg(reference + word) ^ __ldg(target + word)) & __ldg(observed + word);
  }
  // The first one at or beyond `from`, or num_typed.
  __device__ __forceinline__ int32_t Next(int32_t from) const {
    if (from >= num_typed) return num_typed;
    int32_t word = from / 32;
    uint32_t bits = (*this)[word] & (kAllLanes << from % 32);
    while (bits == 0) {
      if (32 * ++word >= num_typed) return num_typed;
      bits = (*this)[word];
    }
    return 32 * word + __ffs(bits) - 1;
  }
  // The last one at or before `from`, or -1.
  __device__ __forceinline__ int32_t Previous(int32_t from) const {
    if (from < 0) return -1;
    int32_t word = from / 32;
    uint32_t bits = (*this)[word] & (kAllLanes >> (31 - from % 32));
    while (bits == 0) {
      if (--word < 0) return -1;
      bits = (*this)[word];
    }
    return 32 * word + 31 - __clz(bits);
  }
};

__device__ __forceinline__ float LogDistance(float centimorgans) {
  return __logf(fmaxf(centimorgans, 0) + kMinCentimorgans) * kMismatchScale;
}

__device__ __forceinline__ float LogInformation(float information) {
  return __logf(fmaxf(information, 0) + 1) * kMismatchScale;
}

__device__ __forceinline__ float LogProbability(float probability) {
  return __logf(fmaxf(probability, kMinCopyingProbability)) / kLogProbabilityUnit;
}

// Sets the features of the mismatches on both sides of an interval, from copy_feature::kLeft and kRight on.
__device__ __forceinline__ void FindMismatches(const KernelData& data, const Differences& differs, uint32_t target,
                                               const Anchor& anchor, float (&in)[kCopyInputs]) {
  const float* centimorgans = data.window.centimorgans;  // entry j + 1 is typed marker j
  const float* information = data.group.information + uint64_t{target} * (data.window.num_typed + 1);
  int32_t left = static_cast<int32_t>(anchor.interval), right = left - 1;
  float from = information[anchor.interval], to = from;
#pragma unroll
  for (uint32_t u = 0; u < kMismatches; ++u) {
    left = differs.Previous(left - 1);
    right = differs.Next(right + 1);
    in[copy_feature::kLeft + 2 * u] = LogDistance(anchor.middle - centimorgans[left + 1]);
    in[copy_feature::kLeft + 2 * u + 1] = LogInformation(to - information[left + 1]);
    in[copy_feature::kRight + 2 * u] = LogDistance(centimorgans[right + 1] - anchor.middle);
    in[copy_feature::kRight + 2 * u + 1] = LogInformation(information[right] - from);
    to = information[max(left, 0)];
    from = information[min(right + 1, differs.num_typed)];
  }
}

// Computes the logits of the candidates, and keeps the features that the allele network sees again. A warp has a third
// of the slots of an anchor.
extern "C" __global__ void __launch_bounds__(kThreads) ComputeLogits(const KernelData data) {
  __shared__ __align__(16) float weights[NetworkSize(kCopyInputs)];
  LoadNetwork<kCopyInputs>(data.window.copy_network, weights);
  const WindowData& window = data.window;
  const GroupData& group = data.group;
  constexpr uint32_t kParts = kMaxSlots / kLanes;
  const uint64_t warp = uint64_t{blockIdx.x} * kWarpsOfBlock + WarpOfBlock();
  const uint64_t at = warp / kParts;  // target and anchor
  if (at >= uint64_t{group.num_targets} * window.num_anchors) return;
  const uint32_t k = warp % kParts * kLanes + Lane();
  if (k >= group.count[at]) return;
  const uint32_t t = at / window.num_anchors;
  const Anchor anchor = window.anchors[at % window.num_anchors];
  const uint64_t slot = at * kMaxSlots + k;
  const uint32_t haplotype = group.haplotype[slot];
  const Differences differs{window.typed_rows + uint64_t{haplotype} * window.typed_words,
                            group.bits + uint64_t{t} * window.typed_words,
                            group.observed + uint64_t{t} * window.typed_words, static_cast<int32_t>(window.num_typed)};
  float in[kCopyInputs];  // in the order of copy_feature::Row
  FindMismatches(data, differs, t, anchor, in);
  in[copy_feature::kLogForward] = LogProbability(group.forward[slot]);
  in[copy_feature::kLogBackward] = LogProbability(group.backward[slot]);
  in[copy_feature::kLogForwardToBest] = in[copy_feature::kLogForward] - LogProbability(group.best_forward[at]);
  in[copy_feature::kLogBackwardToBest] = in[copy_feature::kLogBackward] - LogProbability(group.best_backward[at]);
  const uint32_t s = group.targets[t].sample;
  const Sample sample = group.samples[s];
  const uint32_t person = FindPerson(data, s, haplotype);
  in[copy_feature::kLogSampleShare] =
      group.log_share[sample.first_copied + uint64_t{anchor.block} * sample.num_people + person] * kAncestryScale;
  in[copy_feature::kLogPopulationShare] = group.population_log_share[sample.first_person + person] * kAncestryScale;
#pragma unroll
  for (uint32_t i = kNumCopyFeatures; i < kCopyInputs; ++i) in[i] = 0;
  float* carried = group.carried + slot * kNumBestFeatures;
#pragma unroll
  for (uint32_t f = 0; f < kNumBestFeatures; ++f) carried[f] = in[kBestFeatures[f]];
  float logit = RunNetwork(weights, in) * kCopyScale;
  logit = fmaf(in[copy_feature::kLogForward], window.forward_weight * kLogProbabilityUnit, logit);
  group.logit[slot] = fmaf(in[copy_feature::kLogBackward], window.backward_weight * kLogProbabilityUnit, logit);
}

// Computes the attention's weights at the ends of the interval. A warp has an anchor.
extern "C" __global__ void __launch_bounds__(kThreads) ComputeWeights(const KernelData data) {
  const GroupData& group = data.group;
  const uint64_t at = uint64_t{blockIdx.x} * kWarpsOfBlock + WarpOfBlock();
  if (at >= uint64_t{group.num_targets} * data.window.num_anchors) return;
  const uint32_t count = group.count[at];
  if (count == 0) return;
  constexpr uint32_t kParts = kMaxSlots / kLanes;
  constexpr float kNever = -1e30f, kLeast = -80;
  float weight[kParts], largest = kNever;
#pragma unroll
  for (uint32_t i = 0; i < kParts; ++i) {
    const uint32_t k = i * kLanes + Lane();
    weight[i] = k < count ? group.logit[at * kMaxSlots + k] : kNever;
    largest = fmaxf(largest, weight[i]);
  }
  largest = WarpMax(largest);
  float left[kParts], right[kParts];
  float sum = 0, squares = 0, left_sum = 0, right_sum = 0;
#pragma unroll
  for (uint32_t i = 0; i < kParts; ++i) {
    const uint32_t k = i * kLanes + Lane();
    left[i] = right[i] = 0;
    if (k >= count) continue;
    const float w = expf(fmaxf(weight[i] - largest, kLeast));
    sum += w;
    squares = fmaf(w, w, squares);
    left[i] = w * group.at_left[at * kMaxSlots + k];
    right[i] = w * group.at_right[at * kMaxSlots + k];
    left_sum += left[i];
    right_sum += right[i];
  }
  sum = WarpSum(sum);
  squares = WarpSum(squares);
  left_sum = fmaxf(WarpSum(left_sum), kMinAttention);
  right_sum = fmaxf(WarpSum(right_sum), kMinAttention);
#pragma unroll
  for (uint32_t i = 0; i < kParts; ++i) {
    const uint32_t k = i * kLanes + Lane();
    if (k >= count) continue;
    group.left_weight[at * kMaxSlots + k] = left[i] / left_sum;
    group.right_weight[at * kMaxSlots + k] = right[i] / right_sum;
  }
  if (Lane() == 0) {
    group.log_sum[at] = largest + logf(sum);
    group.log_squares[at] = logf(squares / (sum * sum));
  }
}

}  // namespace haplospin::kernels
