#include "genotypes/imputation/models/phasing/pair_kernels.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/phasing/pair_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

#include "genotypes/imputation/models/copying/bit_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = MaskedFloats;

std::array<float, 2> RunPairStep(const PairStep& step, const uint64_t* bits, const float* prior, size_t n,
                                 const float* const in[2], float* const out[2]) {
  const D d;
  const auto jump = hn::Set(d, step.jump);
  const auto keep0 = hn::Set(d, step.keep[0]), keep1 = hn::Set(d, step.keep[1]);
  const auto zero0 = hn::Set(d, step.if_zero[0]), zero1 = hn::Set(d, step.if_zero[1]);
  const auto one0 = hn::Set(d, step.if_one[0]), one1 = hn::Set(d, step.if_one[1]);
  auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  size_t i = ForEachMasked(bits, n, [&](size_t at, auto one, bool) {
    const auto jumped = hn::Mul(hn::LoadU(d, prior + at), jump);
    const auto value0 = hn::Mul(hn::MulAdd(hn::LoadU(d, in[0] + at), keep0, jumped), hn::IfThenElse(one, one0, zero0));
    const auto value1 = hn::Mul(hn::MulAdd(hn::LoadU(d, in[1] + at), keep1, jumped), hn::IfThenElse(one, one1, zero1));
    hn::StoreU(value0, d, out[0] + at);
    hn::StoreU(value1, d, out[1] + at);
    sum0 = hn::Add(sum0, value0);
    sum1 = hn::Add(sum1, value1);
  });
  std::array<float, 2> sums{hn::GetLane(hn::SumOfLanes(d, sum0)), hn::GetLane(hn::SumOfLanes(d, sum1))};
  for (; i < n; ++i) {
    const bool one = bits[i / 64] >> (i % 64) & 1;
    for (size_t c = 0; c < 2; ++c) {
      out[c][i] = (in[c][i] * step.keep[c] + step.jump * prior[i]) * (one ? step.if_one[c] : step.if_zero[c]);
      sums[c] += out[c][i];
    }
  }
  return sums;
}

JoiningStep RunJoiningStep(const PairStep& step, const uint64_t* bits, const float* prior, const float* inverse_prior,
                           size_t n, const float* const in[2], float* const out[2], const float* const ahead[2]) {
  const D d;
  const auto jump = hn::Set(d, step.jump);
  const auto keep0 = hn::Set(d, step.keep[0]), keep1 = hn::Set(d, step.keep[1]);
  auto sum0 = hn::Zero(d), sum1 = sum0;
  auto all00 = sum0, all01 = sum0, all10 = sum0, all11 = sum0;
  auto one00 = sum0, one01 = sum0, one10 = sum0, one11 = sum0;
  size_t i = ForEachMasked(bits, n, [&](size_t at, auto one, bool) {
    const auto jumped = hn::Mul(hn::LoadU(d, prior + at), jump);
    const auto inverse = hn::LoadU(d, inverse_prior + at);
    const auto b0 = hn::MulAdd(hn::LoadU(d, in[0] + at), keep0, jumped);
    const auto b1 = hn::MulAdd(hn::LoadU(d, in[1] + at), keep1, jumped);
    const auto a0 = hn::Mul(hn::LoadU(d, ahead[0] + at), inverse), a1 = hn::Mul(hn::LoadU(d, ahead[1] + at), inverse);
    hn::StoreU(b0, d, out[0] + at);
    hn::StoreU(b1, d, out[1] + at);
    const auto o0 = hn::IfThenElseZero(one, a0), o1 = hn::IfThenElseZero(one, a1);
    sum0 = hn::Add(sum0, b0);
    sum1 = hn::Add(sum1, b1);
    all00 = hn::MulAdd(b0, a0, all00);
    all01 = hn::MulAdd(b0, a1, all01);
    all10 = hn::MulAdd(b1, a0, all10);
    all11 = hn::MulAdd(b1, a1, all11);
    one00 = hn::MulAdd(b0, o0, one00);
    one01 = hn::MulAdd(b0, o1, one01);
    one10 = hn::MulAdd(b1, o0, one10);
    one11 = hn::MulAdd(b1, o1, one11);
  });
  const auto total = [&](auto v) { return hn::GetLane(hn::SumOfLanes(d, v)); };
  const float all[2][2] = {{total(all00), total(all01)}, {total(all10), total(all11)}};
  const float one[2][2] = {{total(one00), total(one01)}, {total(one10), total(one11)}};
  JoiningStep result{.sums = {total(sum0), total(sum1)}, .continuations = {}};
  auto& sum = result.continuations.sum;
  for (size_t c = 0; c < 2; ++c) {
    for (size_t e = 0; e < 2; ++e) {
      sum[c][e][0] = all[c][e] > one[c][e] ? all[c][e] - one[c][e] : 0;
      sum[c][e][1] = one[c][e];
    }
  }
  for (; i < n; ++i) {
    const size_t allele = bits[i / 64] >> (i % 64) & 1;
    const float next[2] = {ahead[0][i], ahead[1][i]};
    for (size_t c = 0; c < 2; ++c) {
      out[c][i] = in[c][i] * step.keep[c] + step.jump * prior[i];
      result.sums[c] += out[c][i];
      for (size_t e = 0; e < 2; ++e) sum[c][e][allele] += out[c][i] * next[e] * inverse_prior[i];
    }
  }
  return result;
}

std::array<float, 2> CopiedAlt(const uint8_t* alt, const float* inverse_prior, size_t n, const float* const behind[2],
                               const float* const ahead[2]) {
  const D d;
  const hn::Rebind<uint8_t, D> bytes;
  const hn::RebindToSigned<D> integers;
  auto all0 = hn::Zero(d), all1 = all0, alt0 = all0, alt1 = all0;
  size_t i = 0;
  for (const size_t lanes = hn::Lanes(d); i + lanes <= n; i += lanes) {
    const auto share = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, alt + i)));
    const auto inverse = hn::LoadU(d, inverse_prior + i);
    const auto w0 = hn::Mul(hn::Mul(hn::LoadU(d, behind[0] + i), hn::LoadU(d, ahead[0] + i)), inverse);
    const auto w1 = hn::Mul(hn::Mul(hn::LoadU(d, behind[1] + i), hn::LoadU(d, ahead[1] + i)), inverse);
    all0 = hn::Add(all0, w0);
    all1 = hn::Add(all1, w1);
    alt0 = hn::MulAdd(w0, share, alt0);
    alt1 = hn::MulAdd(w1, share, alt1);
  }
  float all[2] = {hn::GetLane(hn::SumOfLanes(d, all0)), hn::GetLane(hn::SumOfLanes(d, all1))};
  float with_alt[2] = {hn::GetLane(hn::SumOfLanes(d, alt0)), hn::GetLane(hn::SumOfLanes(d, alt1))};
  for (; i < n; ++i) {
    for (size_t c = 0; c < 2; ++c) {
      const float weight = behind[c][i] * ahead[c][i] * inverse_prior[i];
      all[c] += weight;
      with_alt[c] += weight * alt[i];
    }
  }
  const auto probability = [&](size_t c) { return with_alt[c] / (255 * std::max(all[c], 1e-30f)); };
  return {probability(0), probability(1)};
}

std::array<float, 2> WeighStates(const uint64_t* bits, const float* inverse_prior, size_t n,
                                 const float* const behind[2], const float* const ahead[2],
                                 const std::array<std::array<float, 2>, 2>& emission, float* const weight[2]) {
  const D d;
  const auto zero0 = hn::Set(d, emission[0][0]), zero1 = hn::Set(d, emission[1][0]);
  const auto one0 = hn::Set(d, emission[0][1]), one1 = hn::Set(d, emission[1][1]);
  auto sum0 = hn::Zero(d), sum1 = sum0;
  size_t i = ForEachMasked(bits, n, [&](size_t at, auto one, bool) {
    const auto inverse = hn::LoadU(d, inverse_prior + at);
    const auto w0 = hn::Mul(hn::Mul(hn::LoadU(d, behind[0] + at), hn::LoadU(d, ahead[0] + at)),
                            hn::Mul(inverse, hn::IfThenElse(one, one0, zero0)));
    const auto w1 = hn::Mul(hn::Mul(hn::LoadU(d, behind[1] + at), hn::LoadU(d, ahead[1] + at)),
                            hn::Mul(inverse, hn::IfThenElse(one, one1, zero1)));
    hn::StoreU(w0, d, weight[0] + at);
    hn::StoreU(w1, d, weight[1] + at);
    sum0 = hn::Add(sum0, w0);
    sum1 = hn::Add(sum1, w1);
  });
  std::array<float, 2> sums{hn::GetLane(hn::SumOfLanes(d, sum0)), hn::GetLane(hn::SumOfLanes(d, sum1))};
  for (; i < n; ++i) {
    const size_t allele = bits[i / 64] >> (i % 64) & 1;
    for (size_t c = 0; c < 2; ++c) {
      weight[c][i] = behind[c][i] * ahead[c][i] * inverse_prior[i] * emission[c][allele];
      sums[c] += weight[c][i];
    }
  }
  return sums;
}

std::array<float, 2> SumOnes(const uint64_t* bits, size_t n, const float* const weight[2]) {
  constexpr int kFewOnes = 6;  // are added one by one
  const D d;
  auto sum0 = hn::Zero(d), sum1 = sum0;
  std::array<float, 2> sums{};
  for (size_t word = 0; word * 64 < n; ++word) {
    uint64_t ones = bits[word];
    const size_t first = 64 * word;
    if (std::popcount(ones) > kFewOnes) {
      ForEachMasked(&ones, 64, [&](size_t at, auto one, bool) {
        sum0 = hn::Add(sum0, hn::IfThenElseZero(one, hn::LoadU(d, weight[0] + first + at)));
        sum1 = hn::Add(sum1, hn::IfThenElseZero(one, hn::LoadU(d, weight[1] + first + at)));
      });
      continue;
    }
    for (; ones != 0; ones &= ones - 1) {
      for (size_t c = 0; c < 2; ++c) sums[c] += weight[c][first + static_cast<size_t>(std::countr_zero(ones))];
    }
  }
  return {sums[0] + hn::GetLane(hn::SumOfLanes(d, sum0)), sums[1] + hn::GetLane(hn::SumOfLanes(d, sum1))};
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(RunPairStep);
HWY_EXPORT(RunJoiningStep);
HWY_EXPORT(CopiedAlt);
HWY_EXPORT(WeighStates);
HWY_EXPORT(SumOnes);

std::array<float, 2> RunPairStep(const PairStep& step, const uint64_t* bits, const float* prior, size_t n,
                                 const float* const in[2], float* const out[2]) {
  return HWY_DYNAMIC_DISPATCH(RunPairStep)(step, bits, prior, n, in, out);
}

JoiningStep RunJoiningStep(const PairStep& step, const uint64_t* bits, const float* prior, const float* inverse_prior,
                           size_t n, const float* const in[2], float* const out[2], const float* const ahead[2]) {
  return HWY_DYNAMIC_DISPATCH(RunJoiningStep)(step, bits, prior, inverse_prior, n, in, out, ahead);
}

std::array<float, 2> CopiedAlt(const uint8_t* alt, const float* inverse_prior, size_t n, const float* const behind[2],
                               const float* const ahead[2]) {
  return HWY_DYNAMIC_DISPATCH(CopiedAlt)(alt, inverse_prior, n, behind, ahead);
}

std::array<float, 2> WeighStates(const uint64_t* bits, const float* inverse_prior, size_t n,
                                 const float* const behind[2], const float* const ahead[2],
                                 const std::array<std::array<float, 2>, 2>& emission, float* const weight[2]) {
  return HWY_DYNAMIC_DISPATCH(WeighStates)(bits, inverse_prior, n, behind, ahead, emission, weight);
}

std::array<float, 2> SumOnes(const uint64_t* bits, size_t n, const float* const weight[2]) {
  return HWY_DYNAMIC_DISPATCH(SumOnes)(bits, n, weight);
}

}  // namespace haplospin
#endif
