// Vectors over the clusters of a population. Kernels include this file once per instruction set.
#if defined(HAPLOSPIN_CLUSTER_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPLOSPIN_CLUSTER_VECTORS_INL_H_
#undef HAPLOSPIN_CLUSTER_VECTORS_INL_H_
#else
#define HAPLOSPIN_CLUSTER_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of which K clusters fill a whole number.
template <size_t kClusters>
using Tag = hn::CappedTag<float, kClusters % 16 == 0 ? 16 : 8>;
template <size_t kClusters>
using Vector = hn::Vec<Tag<kClusters>>;

// Whether an allele or genotype is likely for a cluster, or for a pair of which one is given: a + b * alt.
struct Emission {
  float a, b;
};

template <size_t kClusters>
HWY_INLINE Vector<kClusters> Likely(Emission emission, Vector<kClusters> alt) {
  constexpr Tag<kClusters> kTag;
  return hn::MulAdd(hn::Set(kTag, emission.b), alt, hn::Set(kTag, emission.a));
}

template <size_t kClusters>
HWY_INLINE float Sum(Vector<kClusters> v) {
  return hn::GetLane(hn::SumOfLanes(Tag<kClusters>(), v));
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#endif
