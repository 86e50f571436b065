#include "genotypes/imputation/models/network/network_kernels.h"

#include <algorithm>

#include "haplospin/errors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/network/network_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// Headers to include after foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "genotypes/imputation/models/copying/bit_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = MaskedFloats;
using V = hn::Vec<D>;

V HardSwish(V x) {
  const D d;
  const V gate = hn::MulAdd(x, hn::Set(d, 1.0f / 6), hn::Set(d, 0.5f));
  return hn::Mul(x, hn::Min(hn::Max(gate, hn::Zero(d)), hn::Set(d, 1.0f)));
}

// Computes 4 outputs of a layer for kVectors vectors of columns. 3 vectors fill the registers of the smaller
// instruction sets without spilling. Rows of `in` and `out` are `in_stride` and `out_stride` floats apart.
template <size_t kVectors>
HWY_INLINE void FourOutputs(const float* weights, const float* bias, const float* in, size_t in_stride, size_t inputs,
                            float* out, size_t out_stride) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V a0 = hn::Set(d, bias[0]), a1 = a0, a2 = a0;
  V b0 = hn::Set(d, bias[1]), b1 = b0, b2 = b0;
  V c0 = hn::Set(d, bias[2]), c1 = c0, c2 = c0;
  V e0 = hn::Set(d, bias[3]), e1 = e0, e2 = e0;
  for (size_t i = 0; i < inputs; ++i, weights += 4, in += in_stride) {
    const V x0 = hn::Load(d, in);
    const V x1 = kVectors > 1 ? hn::Load(d, in + lanes) : x0;
    const V x2 = kVectors > 2 ? hn::Load(d, in + 2 * lanes) : x0;
    const auto add = [&](V w, V& v0, V& v1, V& v2) {
      v0 = hn::MulAdd(w, x0, v0);
      if constexpr (kVectors > 1) v1 = hn::MulAdd(w, x1, v1);
      if constexpr (kVectors > 2) v2 = hn::MulAdd(w, x2, v2);
    };
    add(hn::Set(d, weights[0]), a0, a1, a2);
    add(hn::Set(d, weights[1]), b0, b1, b2);
    add(hn::Set(d, weights[2]), c0, c1, c2);
    add(hn::Set(d, weights[3]), e0, e1, e2);
  }
  const auto store = [&](V v0, V v1, V v2, float* row) {
    hn::Store(HardSwish(v0), d, row);
    if constexpr (kVectors > 1) hn::Store(HardSwish(v1), d, row + lanes);
    if constexpr (kVectors > 2) hn::Store(HardSwish(v2), d, row + 2 * lanes);
  };
  store(a0, a1, a2, out);
  store(b0, b1, b2, out + out_stride);
  store(c0, c1, c2, out + 2 * out_stride);
  store(e0, e1, e2, out + 3 * out_stride);
}

// Runs the network for kVectors vectors of columns. The layers of so few columns stay in the fastest cache.
template <size_t kVectors>
HWY_INLINE void RunMlpTile(const PackedMlp& mlp, const float* in, MlpScratch& scratch, float* out) {
  const D d;
  static_assert(kVectors * hn::MaxLanes(D()) <= kMlpTile);
  const size_t lanes = hn::Lanes(d), width = kVectors * lanes;
  for (size_t h = 0; h < mlp.hidden; h += 4) {
    FourOutputs<kVectors>(mlp.weight1.data() + h * mlp.inputs, mlp.bias1.data() + h, in, kMlpWidth, mlp.inputs,
                          scratch.first + h * width, width);
  }
  for (size_t h = 0; h < mlp.hidden; h += 4) {
    FourOutputs<kVectors>(mlp.weight2.data() + h * mlp.hidden, mlp.bias2.data() + h, scratch.first, width, mlp.hidden,
                          scratch.second + h * width, width);
  }
  V sum0 = hn::Set(d, mlp.bias3), sum1 = sum0, sum2 = sum0;
  for (size_t h = 0; h < mlp.hidden; ++h) {
    const V weight = hn::Set(d, mlp.weight3[h]);
    const float* row = scratch.second + h * width;
    sum0 = hn::MulAdd(weight, hn::Load(d, row), sum0);
    if constexpr (kVectors > 1) sum1 = hn::MulAdd(weight, hn::Load(d, row + lanes), sum1);
    if constexpr (kVectors > 2) sum2 = hn::MulAdd(weight, hn::Load(d, row + 2 * lanes), sum2);
  }
  hn::Store(sum0, d, out);
  if constexpr (kVectors > 1) hn::Store(sum1, d, out + lanes);
  if constexpr (kVectors > 2) hn::Store(sum2, d, out + 2 * lanes);
}

// Uses tiles of 3 vectors, and of 2 instead of 1, because additions to few sums wait for each other.
void RunMlp(const PackedMlp& mlp, const float (*inputs)[kMlpWidth], size_t count, MlpScratch& scratch, float* out) {
  const size_t lanes = hn::Lanes(D());
  const float* in = inputs[0];
  for (size_t left = PaddedCount(count) / lanes, size; left > 0;
       left -= size, in += size * lanes, out += size * lanes) {
    size = left == 4 ? 2 : std::min<size_t>(left, 3);
    if (size == 3) RunMlpTile<3>(mlp, in, scratch, out);
    if (size == 2) RunMlpTile<2>(mlp, in, scratch, out);
    if (size == 1) RunMlpTile<1>(mlp, in, scratch, out);
  }
}

// Sets the weights at both ends of the interval. On entry `left` holds those in its middle, not normalized.
void WeighEnds(const CopyFeatures& features, size_t columns, CopyAttention& attention) {
  const D d;
  V left_sum = hn::Zero(d), right_sum = hn::Zero(d);
  for (size_t k = 0; k < columns; k += hn::Lanes(d)) {
    const V weight = hn::Load(d, attention.left + k);
    const V left = hn::Mul(weight, hn::Load(d, features.at_left + k));
    const V right = hn::Mul(weight, hn::Load(d, features.at_right + k));
    hn::Store(left, d, attention.left + k);
    hn::Store(right, d, attention.right + k);
    left_sum = hn::Add(left_sum, left);
    right_sum = hn::Add(right_sum, right);
  }
  const V least = hn::Set(d, kMinAttention);
  const V left_share = hn::Div(hn::Set(d, 1.0f), hn::Max(hn::SumOfLanes(d, left_sum), least));
  const V right_share = hn::Div(hn::Set(d, 1.0f), hn::Max(hn::SumOfLanes(d, right_sum), least));
  for (size_t k = 0; k < columns; k += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, attention.left + k), left_share), d, attention.left + k);
    hn::Store(hn::Mul(hn::Load(d, attention.right + k), right_share), d, attention.right + k);
  }
}

void FinishAttention(const CopyFeatures& features, float forward, float backward, size_t count,
                     CopyAttention& attention) {
  const D d;
  const hn::RebindToSigned<D> di;
  const V vforward = hn::Set(d, forward * kLogProbabilityUnit);
  const V vbackward = hn::Set(d, backward * kLogProbabilityUnit);
  const V scale = hn::Set(d, kCopyScale);
  const V never = hn::Set(d, kUnusedLogit);
  const auto vcount = hn::Set(di, static_cast<int32_t>(count));
  const size_t columns = PaddedCount(count);
  V largest = never;
  for (size_t k = 0; k < columns; k += hn::Lanes(d)) {
    V logit = hn::Mul(hn::Load(d, attention.logit + k), scale);
    logit = hn::MulAdd(hn::Load(d, features.values[copy_feature::kLogForward] + k), vforward, logit);
    logit = hn::MulAdd(hn::Load(d, features.values[copy_feature::kLogBackward] + k), vbackward, logit);
    const auto used = hn::RebindMask(d, hn::Lt(hn::Iota(di, static_cast<int32_t>(k)), vcount));
    logit = hn::IfThenElse(used, logit, never);
    hn::Store(logit, d, attention.logit + k);
    largest = hn::Max(largest, logit);
  }
  largest = hn::MaxOfLanes(d, largest);
  const V least = hn::Set(d, -80.0f);  // exp() of -80, 2e-35, is a normal float, but negligible
  V sum = hn::Zero(d);
  V squares = hn::Zero(d);
  for (size_t k = 0; k < columns; k += hn::Lanes(d)) {
    const V relative = hn::Max(hn::Sub(hn::Load(d, attention.logit + k), largest), least);
    const auto used = hn::RebindMask(d, hn::Lt(hn::Iota(di, static_cast<int32_t>(k)), vcount));
    const V weight = hn::IfThenElseZero(used, hn::Exp(d, relative));
    hn::Store(weight, d, attention.left + k);
    sum = hn::Add(sum, weight);
    squares = hn::MulAdd(weight, weight, squares);
  }
  sum = hn::SumOfLanes(d, sum);
  squares = hn::SumOfLanes(d, squares);
  const V share = hn::Div(hn::Set(d, 1.0f), sum);
  WeighEnds(features, columns, attention);
  attention.count = count;
  attention.log_sum = hn::GetLane(hn::Add(largest, hn::Log(d, sum)));
  attention.log_squares = hn::GetLane(hn::Log(d, hn::Mul(squares, hn::Mul(share, share))));
}

uint32_t FindLogit(const CopyAttention& attention, V value) {
  const D d;
  const size_t columns = PaddedCount(attention.count);
  for (size_t k = 0; k < columns; k += hn::Lanes(d)) {
    const intptr_t at = hn::FindFirstTrue(d, hn::Eq(hn::Load(d, attention.logit + k), value));
    if (at >= 0) return static_cast<uint32_t>(k + static_cast<size_t>(at));
  }
  return 0;
}

void Split(const CopyAttention& attention, float place, const CandidateMask& carriers, SplitAttention& split) {
  const D d;
  const V left_share = hn::Set(d, 1 - place), right_share = hn::Set(d, place);
  const V never = hn::Set(d, kUnusedLogit);
  const size_t columns = PaddedCount(attention.count);
  V inside = hn::Zero(d);
  V outside = hn::Zero(d);
  V best_inside = never;
  V best_outside = never;
  ForEachMasked(carriers.words, columns, [&](size_t k, auto in, bool) {
    const V weight =
        hn::MulAdd(left_share, hn::Load(d, attention.left + k), hn::Mul(right_share, hn::Load(d, attention.right + k)));
    const V logit = hn::Load(d, attention.logit + k);
    inside = hn::Add(inside, hn::IfThenElseZero(in, weight));
    outside = hn::Add(outside, hn::IfThenZeroElse(in, weight));
    best_inside = hn::Max(best_inside, hn::IfThenElse(in, logit, never));
    best_outside = hn::Max(best_outside, hn::IfThenElse(in, never, logit));
  });
  split.weight[0] = hn::GetLane(hn::SumOfLanes(d, outside));
  split.weight[1] = hn::GetLane(hn::SumOfLanes(d, inside));
  // Equal logits on both sides belong to candidates with equal features, so either can be used for both.
  split.best[0] = FindLogit(attention, hn::MaxOfLanes(d, best_outside));
  split.best[1] = FindLogit(attention, hn::MaxOfLanes(d, best_inside));
}

void Sigmoid(const float* logit, const float* correction, float* p) {
  const D d;
  const V one = hn::Set(d, 1.0f);
  const V bound = hn::Set(d, 30.0f);  // 1e-13 from 0 and 1, far below a step of the output; exp() is finite
  for (size_t k = 0; k < kMlpWidth; k += hn::Lanes(d)) {
    const V x = hn::Add(hn::Load(d, logit + k), hn::Load(d, correction + k));
    const V bounded = hn::Min(hn::Max(x, hn::Neg(bound)), bound);
    hn::Store(hn::Div(one, hn::Add(one, hn::Exp(d, hn::Neg(bounded)))), d, p + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {
namespace {

// [hidden, inputs] to [hidden / 4, inputs, 4].
std::vector<float> PackFours(const std::vector<float>& weights, size_t inputs) {
  std::vector<float> packed(weights.size());
  const size_t hidden = weights.size() / inputs;
  for (size_t h = 0; h < hidden; ++h) {
    for (size_t i = 0; i < inputs; ++i) packed[((h / 4) * inputs + i) * 4 + h % 4] = weights[h * inputs + i];
  }
  return packed;
}

}  // namespace

PackedMlp::PackedMlp(const MlpWeights& weights)
    : inputs(weights.inputs),
      hidden(weights.hidden),
      weight1(PackFours(weights.weight1, weights.inputs)),
      weight2(PackFours(weights.weight2, weights.hidden)),
      bias1(weights.bias1),
      bias2(weights.bias2),
      weight3(weights.weight3),
      bias3(weights.bias3) {
  HS_ASSERT(hidden % 4 == 0 && hidden <= kMaxHidden);
}

HWY_EXPORT(RunMlp);
HWY_EXPORT(FinishAttention);
HWY_EXPORT(Split);
HWY_EXPORT(Sigmoid);

void RunMlp(const PackedMlp& mlp, const float (*inputs)[kMlpWidth], size_t count, MlpScratch& scratch, float* out) {
  HWY_DYNAMIC_DISPATCH(RunMlp)(mlp, inputs, count, scratch, out);
}

void FinishAttention(const CopyFeatures& features, float forward, float backward, size_t count,
                     CopyAttention& attention) {
  HWY_DYNAMIC_DISPATCH(FinishAttention)(features, forward, backward, count, attention);
}

void Split(const CopyAttention& attention, float place, const CandidateMask& carriers, SplitAttention& split) {
  HWY_DYNAMIC_DISPATCH(Split)(attention, place, carriers, split);
}

void Sigmoid(const float* logit, const float* correction, float* p) {
  HWY_DYNAMIC_DISPATCH(Sigmoid)(logit, correction, p);
}

}  // namespace haplospin
#endif
