#include "genotypes/imputation/models/phasing/read_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/phasing/read_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

#include "genotypes/imputation/models/copying/bit_masks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = MaskedFloats;

void FindEmissions(std::span<const ReadTerm> terms, size_t n, float* emission) {
  const D d;
  const auto least = hn::Set(d, kLeastReadEmission);
  const size_t lanes = hn::Lanes(d);
  for (size_t i = 0; i < n; i += 2 * lanes) {
    auto first = hn::Set(d, 1), second = first;
    for (const ReadTerm& term : terms) {
      const auto zero = hn::Set(d, term.if_zero), one = hn::Set(d, term.if_one);
      const size_t in_word = i % kWordBits;
      const auto word = WordAt(term.bits, i - in_word);
      first = hn::Mul(first, hn::IfThenElse(MaskAt(word, in_word), one, zero));
      second = hn::Mul(second, hn::IfThenElse(MaskAt(word, in_word + lanes), one, zero));
    }
    hn::StoreU(hn::Max(first, least), d, emission + i);
    hn::StoreU(hn::Max(second, least), d, emission + i + lanes);
  }
}

ReadJoin JoinRead(const std::array<float, 2>& keep, float jump, const float* prior, const float* inverse_prior,
                  const float* emission, size_t n, float* const state[2], const float* const ahead[2]) {
  const D d;
  const auto jumps = hn::Set(d, jump), keep0 = hn::Set(d, keep[0]), keep1 = hn::Set(d, keep[1]);
  auto all00 = hn::Zero(d), all01 = all00, all10 = all00, all11 = all00;
  auto read00 = all00, read01 = all00, read10 = all00, read11 = all00;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto jumped = hn::Mul(hn::LoadU(d, prior + i), jumps);
    const auto inverse = hn::LoadU(d, inverse_prior + i), likelihood = hn::LoadU(d, emission + i);
    const auto b0 = hn::MulAdd(hn::LoadU(d, state[0] + i), keep0, jumped);
    const auto b1 = hn::MulAdd(hn::LoadU(d, state[1] + i), keep1, jumped);
    hn::StoreU(b0, d, state[0] + i);
    hn::StoreU(b1, d, state[1] + i);
    const auto a0 = hn::Mul(hn::LoadU(d, ahead[0] + i), inverse), a1 = hn::Mul(hn::LoadU(d, ahead[1] + i), inverse);
    const auto r0 = hn::Mul(b0, likelihood), r1 = hn::Mul(b1, likelihood);
    all00 = hn::MulAdd(b0, a0, all00);
    all01 = hn::MulAdd(b0, a1, all01);
    all10 = hn::MulAdd(b1, a0, all10);
    all11 = hn::MulAdd(b1, a1, all11);
    read00 = hn::MulAdd(r0, a0, read00);
    read01 = hn::MulAdd(r0, a1, read01);
    read10 = hn::MulAdd(r1, a0, read10);
    read11 = hn::MulAdd(r1, a1, read11);
  }
  const auto total = [&](auto v) { return hn::GetLane(hn::SumOfLanes(d, v)); };
  return {.all = {{total(all00), total(all01)}, {total(all10), total(all11)}},
          .read = {{total(read00), total(read01)}, {total(read10), total(read11)}}};
}

std::array<float, 2> PassRead(const ReadFactors& factors, const float* inverse_prior, const float* emission, size_t n,
                              float* const state[2], const float* const ahead[2], float* const stored[2],
                              float* const* weight) {
  const D d;
  const auto by_read0 = hn::Set(d, factors.by_read[0]), by_read1 = hn::Set(d, factors.by_read[1]);
  const auto constant0 = hn::Set(d, factors.constant[0]), constant1 = hn::Set(d, factors.constant[1]);
  auto sum0 = hn::Zero(d), sum1 = sum0;
  for (size_t i = 0; i < n; i += hn::Lanes(d)) {
    const auto likelihood = hn::LoadU(d, emission + i);
    const auto before0 = hn::LoadU(d, state[0] + i), before1 = hn::LoadU(d, state[1] + i);
    const auto after0 = hn::Mul(before0, hn::MulAdd(by_read0, likelihood, constant0));
    const auto after1 = hn::Mul(before1, hn::MulAdd(by_read1, likelihood, constant1));
    if (weight != nullptr) {
      const auto inverse = hn::LoadU(d, inverse_prior + i);
      hn::StoreU(hn::Mul(hn::Mul(after0, inverse), hn::LoadU(d, ahead[0] + i)), d, weight[0] + i);
      hn::StoreU(hn::Mul(hn::Mul(after1, inverse), hn::LoadU(d, ahead[1] + i)), d, weight[1] + i);
    }
    hn::StoreU(before0, d, stored[0] + i);
    hn::StoreU(before1, d, stored[1] + i);
    hn::StoreU(after0, d, state[0] + i);
    hn::StoreU(after1, d, state[1] + i);
    sum0 = hn::Add(sum0, after0);
    sum1 = hn::Add(sum1, after1);
  }
  return {hn::GetLane(hn::SumOfLanes(d, sum0)), hn::GetLane(hn::SumOfLanes(d, sum1))};
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(FindEmissions);
HWY_EXPORT(JoinRead);
HWY_EXPORT(PassRead);

void FindEmissions(std::span<const ReadTerm> terms, size_t n, float* emission) {
  HWY_DYNAMIC_DISPATCH(FindEmissions)(terms, n, emission);
}

ReadJoin JoinRead(const std::array<float, 2>& keep, float jump, const float* prior, const float* inverse_prior,
                  const float* emission, size_t n, float* const state[2], const float* const ahead[2]) {
  return HWY_DYNAMIC_DISPATCH(JoinRead)(keep, jump, prior, inverse_prior, emission, n, state, ahead);
}

std::array<float, 2> PassRead(const ReadFactors& factors, const float* inverse_prior, const float* emission, size_t n,
                              float* const state[2], const float* const ahead[2], float* const stored[2],
                              float* const* weight) {
  return HWY_DYNAMIC_DISPATCH(PassRead)(factors, inverse_prior, emission, n, state, ahead, stored, weight);
}

}  // namespace haplospin
#endif
