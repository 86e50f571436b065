#include "genotypes/imputation/models/phasing/gap_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/phasing/gap_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;

void JoinStates(const float* inverse_prior, size_t n, const float* const behind[2], const float* const ahead[2],
                float* const joined[2]) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  for (size_t c = 0; c < 2; ++c) {
    size_t s = 0;
    for (; s + lanes <= n; s += lanes) {
      const auto both = hn::Mul(hn::LoadU(d, behind[c] + s), hn::LoadU(d, ahead[c] + s));
      hn::StoreU(hn::Mul(both, hn::LoadU(d, inverse_prior + s)), d, joined[c] + s);
    }
    for (; s < n; ++s) joined[c][s] = behind[c][s] * ahead[c][s] * inverse_prior[s];
  }
}

GapSums SumWeights(const GapWeights& weights, size_t n) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  GapSums sums;
  for (size_t t = 0; t < kGapTerms; ++t) {
    auto sum = hn::Zero(d);
    size_t s = 0;
    for (; s + lanes <= n; s += lanes) sum = hn::Add(sum, hn::LoadU(d, weights[t] + s));
    sums[t] = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; s < n; ++s) sums[t] += weights[t][s];
  }
  return sums;
}

void SumAlts(const GapWeights& weights, std::span<const uint8_t* const> rows, std::span<GapSums> sums) {
  const D d;
  const hn::Rebind<uint8_t, D> bytes;
  const hn::RebindToSigned<D> integers;
  const size_t lanes = hn::Lanes(d);
  static_assert(hn::MaxLanes(d) <= kGapPadding);
  const auto [w0, w1, w2, w3, w4, w5, w6] = weights;
  alignas(64) float found[kGapTerms][hn::MaxLanes(d)];
  for (size_t first = 0; first < sums.size(); first += lanes) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0;
    for (size_t s = 0; s < rows.size(); ++s) {
      const auto alt = hn::ConvertTo(d, hn::PromoteTo(integers, hn::LoadU(bytes, rows[s] + first)));
      s0 = hn::MulAdd(hn::Set(d, w0[s]), alt, s0);
      s1 = hn::MulAdd(hn::Set(d, w1[s]), alt, s1);
      s2 = hn::MulAdd(hn::Set(d, w2[s]), alt, s2);
      s3 = hn::MulAdd(hn::Set(d, w3[s]), alt, s3);
      s4 = hn::MulAdd(hn::Set(d, w4[s]), alt, s4);
      s5 = hn::MulAdd(hn::Set(d, w5[s]), alt, s5);
      s6 = hn::MulAdd(hn::Set(d, w6[s]), alt, s6);
    }
    hn::Store(s0, d, found[0]);
    hn::Store(s1, d, found[1]);
    hn::Store(s2, d, found[2]);
    hn::Store(s3, d, found[3]);
    hn::Store(s4, d, found[4]);
    hn::Store(s5, d, found[5]);
    hn::Store(s6, d, found[6]);
    for (size_t m = first; m < std::min(first + lanes, sums.size()); ++m) {
      for (size_t t = 0; t < kGapTerms; ++t) sums[m][t] = found[t][m - first];
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(JoinStates);
HWY_EXPORT(SumWeights);
HWY_EXPORT(SumAlts);

void JoinStates(const float* inverse_prior, size_t n, const float* const behind[2], const float* const ahead[2],
                float* const joined[2]) {
  HWY_DYNAMIC_DISPATCH(JoinStates)(inverse_prior, n, behind, ahead, joined);
}

GapSums SumWeights(const GapWeights& weights, size_t n) { return HWY_DYNAMIC_DISPATCH(SumWeights)(weights, n); }

void SumAlts(const GapWeights& weights, std::span<const uint8_t* const> rows, std::span<GapSums> sums) {
  HWY_DYNAMIC_DISPATCH(SumAlts)(weights, rows, sums);
}

}  // namespace haplospin
#endif
