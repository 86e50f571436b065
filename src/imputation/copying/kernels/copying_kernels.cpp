#include "imputation/copying/kernels/copying_kernels.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imputation/copying/kernels/copying_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<float>;

// The lanes are a power of two up to 64, so that a vector's bits never straddle a word.
float RunCopyStep(const CopyStep& step, const uint64_t* bits, bool allele, size_t n, const float* in, float* out) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const auto keep = hn::Set(d, step.keep);
  const auto jump = hn::Set(d, step.jump);
  const auto if_one = hn::Set(d, allele ? step.match : step.mismatch);
  const auto if_zero = hn::Set(d, allele ? step.mismatch : step.match);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const uint64_t word = bits[i / 64] >> (i % 64);
    const auto one = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&word));
    const auto value = hn::Mul(hn::MulAdd(hn::LoadU(d, in + i), keep, jump), hn::IfThenElse(one, if_one, if_zero));
    hn::StoreU(value, d, out + i);
    sum = hn::Add(sum, value);
  }
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
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
  const auto bound = hn::Set(d, threshold);
  size_t size = 0;
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    // Few values are above: one at a time is faster than compressing vectors.
    uint64_t above = 0;
    hn::StoreMaskBits(d, hn::Gt(hn::LoadU(d, values + i), bound), reinterpret_cast<uint8_t*>(&above));
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
  auto joint = hn::Zero(d);
  auto sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto b = hn::LoadU(d, backward + i);
    joint = hn::MulAdd(hn::LoadU(d, forward + i), b, joint);
    sum = hn::Add(sum, b);
  }
  PairSums sums{hn::GetLane(hn::SumOfLanes(d, joint)), hn::GetLane(hn::SumOfLanes(d, sum))};
  for (; i < n; ++i) {
    sums.joint += forward[i] * backward[i];
    sums.backward += backward[i];
  }
  return sums;
}

AlleleSums SumPairsByAllele(const uint64_t* bits, size_t n, const float* forward, const float* backward) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  auto zeros = hn::Zero(d);
  auto ones = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const uint64_t word = bits[i / 64] >> (i % 64);
    const auto one = hn::LoadMaskBits(d, reinterpret_cast<const uint8_t*>(&word));
    const auto product = hn::Mul(hn::LoadU(d, forward + i), hn::LoadU(d, backward + i));
    ones = hn::Add(ones, hn::IfThenElseZero(one, product));
    zeros = hn::Add(zeros, hn::IfThenZeroElse(one, product));
  }
  AlleleSums sums{hn::GetLane(hn::SumOfLanes(d, zeros)), hn::GetLane(hn::SumOfLanes(d, ones))};
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
