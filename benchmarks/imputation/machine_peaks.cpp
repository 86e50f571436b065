#include "imputation/machine_peaks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imputation/machine_peaks.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;

// Enough to hide the latency of two units, and few enough for 16 registers.
constexpr size_t kVectors = 10;

float MultiplyAdd(size_t count) {
  const D d;
  const auto factor = hn::Set(d, 0.9999f), term = hn::Set(d, 1e-5f);
  auto a = hn::Set(d, 1), b = a, c = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a;
  for (size_t n = 0; n < count; ++n) {
    a = hn::MulAdd(a, factor, term);
    b = hn::MulAdd(b, factor, term);
    c = hn::MulAdd(c, factor, term);
    e = hn::MulAdd(e, factor, term);
    f = hn::MulAdd(f, factor, term);
    g = hn::MulAdd(g, factor, term);
    h = hn::MulAdd(h, factor, term);
    i = hn::MulAdd(i, factor, term);
    j = hn::MulAdd(j, factor, term);
    k = hn::MulAdd(k, factor, term);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, i)));
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum, hn::Add(j, k))));
}

size_t MultiplyAddOperations() { return 2 * kVectors * hn::Lanes(D()); }

float ReadAll(const float* values, size_t n) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t k = 0; k < n; k += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(d, values + k));
    b = hn::Add(b, hn::LoadU(d, values + k + lanes));
    c = hn::Add(c, hn::LoadU(d, values + k + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, values + k + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(a, b), hn::Add(c, e))));
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(MultiplyAdd);
HWY_EXPORT(MultiplyAddOperations);
HWY_EXPORT(ReadAll);

float MultiplyAdd(size_t count) { return HWY_DYNAMIC_DISPATCH(MultiplyAdd)(count); }
size_t MultiplyAddOperations() { return HWY_DYNAMIC_DISPATCH(MultiplyAddOperations)(); }
float ReadAll(const float* values, size_t n) { return HWY_DYNAMIC_DISPATCH(ReadAll)(values, n); }

}  // namespace haplospin
#endif
