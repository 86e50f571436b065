#include "genotypes/imputation/models/copying/copying_kernels.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/copying/copying_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

#include "genotypes/imputation/models/copying/bit_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = MaskedFloats;
using V = hn::Vec<D>;

float Total(V even, V odd) {
  const D d;
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

float RunCopyStep(const CopyStep& step, const uint64_t* bits, bool allele, size_t n, const float* in, float* out) {
  const D d;
  const V keep = hn::Set(d, step.keep);
  const V jump = hn::Set(d, step.jump);
  const V if_one = hn::Set(d, allele ? step.match : step.mismatch);
  const V if_zero = hn::Set(d, allele ? step.mismatch : step.match);
  V even = hn::Zero(d), odd = even;
  size_t i = ForEachMasked(bits, n, [&](size_t at, auto one, bool is_odd) {
    const V value = hn::Mul(hn::MulAdd(hn::LoadU(d, in + at), keep, jump), hn::IfThenElse(one, if_one, if_zero));
    hn::StoreU(value, d, out + at);
    V& sum = is_odd ? odd : even;
    sum = hn::Add(sum, value);
  });
  float total = Total(even, odd);
  for (; i < n; ++i) {
    const bool one = bits[i / 64] >> (i % 64) & 1;
    out[i] = (in[i] * step.keep + step.jump) * (one == allele ? step.match : step.mismatch);
    total += out[i];
  }
  return total;
}

float RunCopyStepWithoutAllele(float keep, float jump, size_t n, const float* in, float* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const auto vkeep = hn::Set(d, keep);
  const auto vjump = hn::Set(d, jump);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto value = hn::MulAdd(hn::LoadU(d, in + i), vkeep, vjump);
    hn::StoreU(value, d, out + i);
    sum = hn::Add(sum, value);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < n; ++i) total += out[i] = in[i] * keep + jump;
  return total;
}

float MultiplyTransitions(const float* forward, Transition f, const float* backward, Transition b, size_t n,
                          float* products) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const auto f_keep = hn::Set(d, f.keep);
  const auto f_jump = hn::Set(d, f.jump);
  const auto b_keep = hn::Set(d, b.keep);
  const auto b_jump = hn::Set(d, b.jump);
  auto maximum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto product = hn::Mul(hn::MulAdd(hn::LoadU(d, forward + i), f_keep, f_jump),
                                 hn::MulAdd(hn::LoadU(d, backward + i), b_keep, b_jump));
    hn::StoreU(product, d, products + i);
    maximum = hn::Max(maximum, product);
  }
  float largest = hn::GetLane(hn::MaxOfLanes(d, maximum));
  for (; i < n; ++i) {
    products[i] = (forward[i] * f.keep + f.jump) * (backward[i] * b.keep + b.jump);
    largest = std::max(largest, products[i]);
  }
  return largest;
}

size_t CollectAbove(const float* values, float threshold, size_t n, uint32_t* indices, float* found) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const V bound = hn::Set(d, threshold);
  size_t size = 0, i = 0;
  for (; i + 64 <= n; i += 64) {
    uint64_t above = 0;
    for (size_t k = 0; k < 64; k += lanes) {
      uint64_t bits = 0;
      hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, values + i + k), bound), reinterpret_cast<uint8_t*>(&bits));
      above |= bits << k;
    }
    // Few values are above: one at a time is faster than compressing vectors.
    for (; above != 0; above &= above - 1) {
      const size_t at = i + static_cast<size_t>(std::countr_zero(above));
      found[size] = values[at];
      indices[size++] = static_cast<uint32_t>(at);
    }
  }
  for (; i < n; ++i) {
    if (values[i] <= threshold) continue;
    found[size] = values[i];
    indices[size++] = static_cast<uint32_t>(i);
  }
  return size;
}

PairSums SumPairs(const float* forward, const float* backward, size_t n) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V joint_even = hn::Zero(d), joint_odd = joint_even, sum_even = joint_even, sum_odd = joint_even;
  size_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V even = hn::LoadU(d, backward + i), odd = hn::LoadU(d, backward + i + lanes);
    joint_even = hn::MulAdd(hn::LoadU(d, forward + i), even, joint_even);
    joint_odd = hn::MulAdd(hn::LoadU(d, forward + i + lanes), odd, joint_odd);
    sum_even = hn::Add(sum_even, even);
    sum_odd = hn::Add(sum_odd, odd);
  }
  PairSums sums{Total(joint_even, joint_odd), Total(sum_even, sum_odd)};
  for (; i < n; ++i) {
    sums.joint += forward[i] * backward[i];
    sums.backward += backward[i];
  }
  return sums;
}

AlleleSums SumPairsByAllele(const uint64_t* bits, size_t n, const float* forward, const float* backward) {
  const D d;
  V zeros_even = hn::Zero(d), zeros_odd = zeros_even, ones_even = zeros_even, ones_odd = zeros_even;
  size_t i = ForEachMasked(bits, n, [&](size_t at, auto one, bool is_odd) {
    const V product = hn::Mul(hn::LoadU(d, forward + at), hn::LoadU(d, backward + at));
    V& ones = is_odd ? ones_odd : ones_even;
    V& zeros = is_odd ? zeros_odd : zeros_even;
    ones = hn::Add(ones, hn::IfThenElseZero(one, product));
    zeros = hn::Add(zeros, hn::IfThenZeroElse(one, product));
  });
  AlleleSums sums{Total(zeros_even, zeros_odd), Total(ones_even, ones_odd)};
  for (; i < n; ++i) (bits[i / 64] >> (i % 64) & 1 ? sums.one : sums.zero) += forward[i] * backward[i];
  return sums;
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(RunCopyStep);
HWY_EXPORT(RunCopyStepWithoutAllele);
HWY_EXPORT(MultiplyTransitions);
HWY_EXPORT(CollectAbove);
HWY_EXPORT(SumPairs);
HWY_EXPORT(SumPairsByAllele);

float RunCopyStep(const CopyStep& step, const uint64_t* bits, bool allele, size_t n, const float* in, float* out) {
  return HWY_DYNAMIC_DISPATCH(RunCopyStep)(step, bits, allele, n, in, out);
}

float RunCopyStepWithoutAllele(float keep, float jump, size_t n, const float* in, float* out) {
  return HWY_DYNAMIC_DISPATCH(RunCopyStepWithoutAllele)(keep, jump, n, in, out);
}

float MultiplyTransitions(const float* forward, Transition f, const float* backward, Transition b, size_t n,
                          float* products) {
  return HWY_DYNAMIC_DISPATCH(MultiplyTransitions)(forward, f, backward, b, n, products);
}

size_t CollectAbove(const float* values, float threshold, size_t n, uint32_t* indices, float* found) {
  return HWY_DYNAMIC_DISPATCH(CollectAbove)(values, threshold, n, indices, found);
}

PairSums SumPairs(const float* forward, const float* backward, size_t n) {
  return HWY_DYNAMIC_DISPATCH(SumPairs)(forward, backward, n);
}

AlleleSums SumPairsByAllele(const uint64_t* bits, size_t n, const float* forward, const float* backward) {
  return HWY_DYNAMIC_DISPATCH(SumPairsByAllele)(bits, n, forward, backward);
}

}  // namespace haplospin
#endif
