#include <bit>

#include "genotypes/imputation/models/network/marker_regression.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/network/linkage_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void CountCommonBits(const uint64_t* bits, const uint64_t* rows, size_t words, size_t num_rows, uint32_t* counts) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  for (size_t r = 0; r < num_rows; ++r, rows += words) {
    auto sum = hn::Zero(d);
    size_t w = 0;
    for (; w + lanes <= words; w += lanes) {
      sum = hn::Add(sum, hn::PopulationCount(hn::And(hn::LoadU(d, bits + w), hn::LoadU(d, rows + w))));
    }
    uint64_t total = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; w < words; ++w) total += static_cast<uint64_t>(std::popcount(bits[w] & rows[w]));
    counts[r] = static_cast<uint32_t>(total);
  }
}

float Dot(const float* a, const float* b, size_t n) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  size_t k = 0;
  for (; k + lanes <= n; k += lanes) sum = hn::MulAdd(hn::LoadU(d, a + k), hn::LoadU(d, b + k), sum);
  float total = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; k < n; ++k) total += a[k] * b[k];
  return total;
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(CountCommonBits);
HWY_EXPORT(Dot);

void CountCommonBits(const uint64_t* bits, const uint64_t* rows, size_t words, size_t num_rows, uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(CountCommonBits)(bits, rows, words, num_rows, counts);
}

float Dot(const float* a, const float* b, size_t n) { return HWY_DYNAMIC_DISPATCH(Dot)(a, b, n); }

}  // namespace haplospin
#endif
