#include "genotypes/imputation/models/clusters/cluster_kernels.h"

#include <algorithm>
#include <vector>

#include "haplospin/study_genotypes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/clusters/cluster_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

#include "genotypes/imputation/models/clusters/cluster_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

HWY_INLINE Emission AlleleEmission(uint8_t allele) {
  if (allele == kMissingAllele) return {1, 0};
  return allele == 0 ? Emission{1, -1} : Emission{0, 1};
}

// Probabilities of the clusters of a haplotype.
class HaplotypeChain {
 public:
  // `forward` is for its use.
  HaplotypeChain(const ClusterTables& tables, const uint8_t* alleles, float* forward)
      : tables_(tables), alleles_(alleles), forward_(forward), scale_(tables.markers) {
    std::fill_n(backward_, kClusters, 1.0f);
    for (size_t m = 0; m < tables_.markers; ++m) Forward(m);
  }

  void Count(const ClusterCounts& counts) {
    for (size_t m = tables_.markers; m-- > 0;) {
      float* copied = (alleles_[m] == 0 ? counts.ref : counts.alt) + m * kClusters;
      for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
        const Vector<kClusters> p = hn::LoadU(kTag, forward_ + m * kClusters + k);
        hn::StoreU(hn::MulAdd(p, hn::LoadU(kTag, backward_ + k), hn::LoadU(kTag, copied + k)), kTag, copied + k);
      }
      StepBack(m, counts.switched + m * kClusters);
    }
  }

  void LeaveOut(float* left_out) {
    for (size_t m = tables_.markers; m-- > 0;) {
      const Emission emission = AlleleEmission(alleles_[m]);
      Vector<kClusters> sum = hn::Zero(kTag), alts = sum;
      for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
        const Vector<kClusters> alt = hn::LoadU(kTag, tables_.alt + m * kClusters + k);
        const Vector<kClusters> both =
            hn::Mul(hn::LoadU(kTag, forward_ + m * kClusters + k), hn::LoadU(kTag, backward_ + k));
        const Vector<kClusters> p = hn::Div(both, Likely<kClusters>(emission, alt));
        sum = hn::Add(sum, p);
        alts = hn::MulAdd(p, alt, alts);
      }
      left_out[m] = Sum<kClusters>(alts) / Sum<kClusters>(sum);
      StepBack(m, nullptr);
    }
  }

 private:
  static constexpr size_t kClusters = kManyClusters;
  static constexpr Tag<kClusters> kTag{};

  void Forward(size_t m);
  void StepBack(size_t m, float* switched);

  const ClusterTables& tables_;
  const uint8_t* alleles_;
  float* forward_;                       // [markers, K], each row with sum 1
  std::vector<float> scale_;             // [markers] what the rows were divided by
  HWY_ALIGN float backward_[kClusters];  // at the marker that StepBack() takes next
};

void HaplotypeChain::Forward(size_t m) {
  const float* share = tables_.share + m * kClusters;
  float* row = forward_ + m * kClusters;
  const float* before = m == 0 ? share : row - kClusters;  // switches[0] is 1: the value does not matter
  const Emission emission = AlleleEmission(alleles_[m]);
  const Vector<kClusters> switched = hn::Set(kTag, tables_.switches[m]),
                          stayed = hn::Set(kTag, 1 - tables_.switches[m]);
  Vector<kClusters> sum = hn::Zero(kTag);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    Vector<kClusters> p =
        hn::MulAdd(stayed, hn::LoadU(kTag, before + k), hn::Mul(switched, hn::LoadU(kTag, share + k)));
    p = hn::Mul(p, Likely<kClusters>(emission, hn::LoadU(kTag, tables_.alt + m * kClusters + k)));
    hn::StoreU(p, kTag, row + k);
    sum = hn::Add(sum, p);
  }
  scale_[m] = Sum<kClusters>(sum);
  const Vector<kClusters> inverse = hn::Set(kTag, 1 / scale_[m]);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    hn::StoreU(hn::Mul(hn::LoadU(kTag, row + k), inverse), kTag, row + k);
  }
}

// Goes to the marker before m. If `switched` is not null, adds the expected switches to each cluster at m.
void HaplotypeChain::StepBack(size_t m, float* switched) {
  const Emission emission = AlleleEmission(alleles_[m]);
  const Vector<kClusters> inverse = hn::Set(kTag, 1 / scale_[m]), rate = hn::Set(kTag, tables_.switches[m]);
  Vector<kClusters> sum = hn::Zero(kTag);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    const Vector<kClusters> likely =
        hn::Mul(inverse, Likely<kClusters>(emission, hn::LoadU(kTag, tables_.alt + m * kClusters + k)));
    const Vector<kClusters> next = hn::Mul(likely, hn::LoadU(kTag, backward_ + k));
    const Vector<kClusters> to = hn::Mul(next, hn::LoadU(kTag, tables_.share + m * kClusters + k));
    sum = hn::Add(sum, to);
    hn::StoreU(next, kTag, backward_ + k);
    if (switched) hn::StoreU(hn::MulAdd(rate, to, hn::LoadU(kTag, switched + k)), kTag, switched + k);
  }
  const Vector<kClusters> any = hn::Set(kTag, tables_.switches[m] * Sum<kClusters>(sum)),
                          stayed = hn::Set(kTag, 1 - tables_.switches[m]);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    hn::StoreU(hn::MulAdd(stayed, hn::LoadU(kTag, backward_ + k), any), kTag, backward_ + k);
  }
}

void CountHaplotype(const ClusterTables& tables, const uint8_t* alleles, float* forward, const ClusterCounts& counts) {
  HaplotypeChain(tables, alleles, forward).Count(counts);
}

void LeaveOutAlleles(const ClusterTables& tables, const uint8_t* alleles, float* forward, float* left_out) {
  HaplotypeChain(tables, alleles, forward).LeaveOut(left_out);
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(CountHaplotype);
HWY_EXPORT(LeaveOutAlleles);

void CountHaplotype(const ClusterTables& tables, const uint8_t* alleles, float* forward, const ClusterCounts& counts) {
  HWY_DYNAMIC_DISPATCH(CountHaplotype)(tables, alleles, forward, counts);
}

void LeaveOutAlleles(const ClusterTables& tables, const uint8_t* alleles, float* forward, float* left_out) {
  HWY_DYNAMIC_DISPATCH(LeaveOutAlleles)(tables, alleles, forward, left_out);
}

}  // namespace haplospin
#endif
