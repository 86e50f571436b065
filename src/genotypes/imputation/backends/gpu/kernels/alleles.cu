// The probability of the minor allele of each marker of a target (imputation/models/network/cpu_network.h).

namespace haplospin::kernels {

// The attention on the candidates without [0] and with [1] the minor allele of a marker.
struct Carriers {
  float weight[2];
  float best_logit[2];
  uint32_t best[2];  // slot with the largest logit
  uint32_t count;    // candidates with the minor allele
};

__device__ __forceinline__ float Clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }
__device__ __forceinline__ float Logit(float p) { return logf(p / (1 - p)); }
__device__ __forceinline__ float ScaledLogit(float logit) {
  return Clamp(logit, -kMaxLogit, kMaxLogit) / kAttentionUnit;
}

// Splits the attention for the marker of each lane; a word of a candidate has its alleles at the markers of all lanes.
__device__ __forceinline__ Carriers Split(const KernelData& data, uint64_t at, uint32_t word, float place) {
  struct Candidate {
    float left, right, logit;
    uint32_t alleles;
  };
  __shared__ Candidate warp_candidates[kWarpsOfBlock][kLanes];
  const GroupData& group = data.group;
  const uint32_t count = group.count[at];
  constexpr float kNever = -1e30f;
  Carriers carriers{{0, 0}, {kNever, kNever}, {0, 0}, 0};
  for (uint32_t base = 0; base < count; base += kLanes) {
    const uint32_t size = min(kLanes, count - base);
    __syncwarp();
    if (Lane() < size) {
      const uint64_t slot = at * kMaxSlots + base + Lane();
      warp_candidates[WarpOfBlock()][Lane()] = {
          group.left_weight[slot], group.right_weight[slot], group.logit[slot],
          __ldg(data.window.minor_rows + uint64_t{group.haplotype[slot]} * data.window.num_words + word)};
    }
    __syncwarp();
    for (uint32_t k = 0; k < size; ++k) {
      const Candidate candidate = warp_candidates[WarpOfBlock()][k];
      const float weight = fmaf(1 - place, candidate.left, place * candidate.right);
      if (candidate.alleles >> Lane() & 1) {
        carriers.weight[1] += weight;
        if (candidate.logit > carriers.best_logit[1]) carriers.best[1] = base + k;
        carriers.best_logit[1] = fmaxf(carriers.best_logit[1], candidate.logit);
        ++carriers.count;
      } else {
        carriers.weight[0] += weight;
        if (candidate.logit > carriers.best_logit[0]) carriers.best[0] = base + k;
        carriers.best_logit[0] = fmaxf(carriers.best_logit[0], candidate.logit);
      }
    }
  }
  return carriers;
}

// WindowRegression::Predict().
__device__ __forceinline__ float Predict(const KernelData& data, uint32_t target, const Marker& marker) {
  const WindowData& window = data.window;
  if (marker.regression == kNone) return marker.minor_frequency;
  const Regression regression = window.regressions[marker.regression];
  const uint8_t* alleles = data.group.alleles + uint64_t{target} * window.num_typed + regression.first_typed;
  float sum = 0;
#pragma unroll 8
  for (uint32_t k = 0; k < window.regression_typed; ++k) {
    const uint32_t allele = alleles[k];
    const float centered = allele == kMissing ? 0 : allele - window.typed_mean[regression.first_typed + k];
    sum = fmaf(window.coefficients[uint64_t{k} * window.num_regressions + marker.regression], centered, sum);
  }
  return regression.intercept + sum;
}

// The first features, before those of the regression.
inline constexpr uint32_t kCandidateFeatures = allele_feature::kRegressionLogit;

// A block has 8 words of a target. The markers at which the candidates differ are collected, so that few threads of the
// regression and the network are idle.
extern "C" __global__ void __launch_bounds__(kThreads) ImputeAlleles(const KernelData data) {
  __shared__ __align__(16) float weights[NetworkSize(kAlleleInputs)];
  __shared__ float inputs[kCandidateFeatures][kThreads];
  __shared__ float logits[kThreads];
  __shared__ uint32_t markers[kThreads];
  const WindowData& window = data.window;
  const GroupData& group = data.group;
  const uint32_t t = blockIdx.y;
  const uint32_t w = blockIdx.x * kWarpsOfBlock + WarpOfBlock();
  LoadNetwork<kAlleleInputs>(window.allele_network, weights);
  const AlleleWord word = w < window.num_words ? window.words[w] : AlleleWord{0, 0, 0};
  const uint64_t at = uint64_t{t} * window.num_anchors + word.anchor;
  const uint32_t m = word.marker + Lane();
  float* const minor = group.minor + uint64_t{t} * window.num_markers;
  const uint32_t candidates = group.count[at];
  Marker marker = {};
  bool is_wanted = Lane() < word.count;
  if (is_wanted) {
    marker = window.markers[m];
    is_wanted = marker.typed == kNone || group.alleles[uint64_t{t} * window.num_typed + marker.typed] == kMissing;
  }
  bool is_mixed = false;
  Carriers carriers = {};
  if (word.count > 0) carriers = Split(data, at, w, marker.in_interval);
  if (is_wanted) {
    is_mixed = carriers.count > 0 && carriers.count < candidates;
    if (carriers.count == 0) {
      minor[m] = window.panel_share * marker.minor_frequency;
    } else if (!is_mixed) {
      minor[m] = 1 - window.panel_share * (1 - marker.minor_frequency);
    }
  }
  const uint32_t mixed = __ballot_sync(kAllLanes, is_mixed);
  const SumsOfWarps places = SumWarps(__popc(mixed));
  if (is_mixed) {
    const uint32_t c = places.before + BitsBefore(mixed);
    const float share = window.network_panel_share;
    const float p = Clamp((1 - share) * carriers.weight[1] + share * marker.minor_frequency,
                          kMinAlleleProbability, 1 - kMinAlleleProbability);
    const float log_sum = group.log_sum[at];
    const float others = logf(fmaxf(carriers.weight[0], kMinAttention)) + log_sum;
    const float carrying = logf(fmaxf(carriers.weight[1], kMinAttention)) + log_sum;
    markers[c] = m;
    logits[c] = Logit(p);
    uint32_t row = 0;  // in the order of allele_feature::Row
    const auto put = [&](float value) { inputs[row++][c] = value; };
    put(logits[c] / kLogitUnit);
    put(marker.logit_frequency);
    put(ScaledLogit(carriers.best_logit[1] - carriers.best_logit[0]));
    put(ScaledLogit(carrying - others));
    put(ScaledLogit(carrying));
    put(ScaledLogit(others));
    put(group.log_squares[at]);
    put(static_cast<float>(carriers.count) / static_cast<float>(candidates));
    put(marker.log_carriers);
    put(marker.log_non_carriers);
    for (uint32_t side = 2; side-- > 0;) {
      const float* carried = group.carried + (at * kMaxSlots + carriers.best[side]) * kNumBestFeatures;
      for (uint32_t f = 0; f < kNumBestFeatures; ++f) put(carried[f]);
    }
    put(marker.log_distance);
  }
  __syncthreads();
  if (threadIdx.x >= places.all) return;
  const Marker& collected = window.markers[markers[threadIdx.x]];
  const float regression =
      Clamp(Predict(data, t, collected), kMinRegression, 1 - kMinRegression);
  float in[kAlleleInputs];
#pragma unroll
  for (uint32_t i = 0; i < kCandidateFeatures; ++i) in[i] = inputs[i][threadIdx.x];
  in[allele_feature::kRegressionLogit] = Logit(regression) / kLogitUnit;
  in[allele_feature::kRegressionR2] = collected.regression_r2;
#pragma unroll
  for (uint32_t i = kNumAlleleFeatures; i < kAlleleInputs; ++i) in[i] = 0;
  const float logit = logits[threadIdx.x] + RunNetwork(weights, in);
  minor[markers[threadIdx.x]] = 1 / (1 + expf(-Clamp(logit, -30, 30)));
}

}  // namespace haplospin::kernels
