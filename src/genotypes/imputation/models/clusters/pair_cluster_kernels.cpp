#include "genotypes/imputation/models/clusters/pair_cluster_kernels.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/clusters/pair_cluster_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

#include "genotypes/imputation/models/clusters/cluster_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

// The emissions of a genotype by the probability of ALT of one cluster of the pair.
class GenotypeEmission {
 public:
  explicit HWY_INLINE GenotypeEmission(const ClusterLikelihoods& l)
      : none_(l[0]), slope_(l[1] - l[0]), bend_(l[0] - 2 * l[1] + l[2]) {}
  HWY_INLINE Emission Given(float alt) const { return {none_ + slope_ * alt, slope_ + bend_ * alt}; }

 private:
  float none_, slope_, bend_;
};

template <size_t kClusters>
HWY_INLINE float Dot(const float* a, const float* b) {
  constexpr Tag<kClusters> kTag;
  Vector<kClusters> sum = hn::Zero(kTag);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    sum = hn::MulAdd(hn::LoadU(kTag, a + k), hn::LoadU(kTag, b + k), sum);
  }
  return Sum<kClusters>(sum);
}

// out = a symmetric matrix times v. Four sums, because an addition waits for the one before it.
template <size_t kClusters>
HWY_INLINE void Multiply(const float* matrix, const float* v, float* out) {
  constexpr Tag<kClusters> kTag;
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    Vector<kClusters> sum0 = hn::Zero(kTag), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (size_t a = 0; a < kClusters; a += 4) {
      const float* row = matrix + a * kClusters + k;
      sum0 = hn::MulAdd(hn::Set(kTag, v[a]), hn::LoadU(kTag, row), sum0);
      sum1 = hn::MulAdd(hn::Set(kTag, v[a + 1]), hn::LoadU(kTag, row + kClusters), sum1);
      sum2 = hn::MulAdd(hn::Set(kTag, v[a + 2]), hn::LoadU(kTag, row + 2 * kClusters), sum2);
      sum3 = hn::MulAdd(hn::Set(kTag, v[a + 3]), hn::LoadU(kTag, row + 3 * kClusters), sum3);
    }
    hn::StoreU(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), kTag, out + k);
  }
}

// Probabilities of the pairs of clusters of a genotype, from typed marker to typed marker: Scheet and Stephens,
// equations of the appendix, with the sums over one of both clusters taken once. All matrices are symmetric, [K, K].
template <size_t kClusters>
class PairChain {
 public:
  PairChain(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods, float* forward)
      : tables_(tables),
        steps_(steps),
        likelihoods_(likelihoods),
        forward_(forward),
        scale_(steps.typed.size()),
        sums_(steps.typed.size() * kClusters),
        backward_(kClusters * kClusters, 1.0f) {
    for (size_t j = 0; j < steps.typed.size(); ++j) Forward(j);
  }

  void Count(const ClusterCounts& counts) {
    for (size_t j = steps_.typed.size(); j-- > 0;) {
      CountAlleles(j, counts);
      Emit(j);
      CountSwitches(j, counts);
      StepBack(j);
    }
  }

  void LeaveOut(float* left_out, float* both) {
    for (size_t j = steps_.typed.size(); j-- > 0;) {
      LeaveOutTyped(j, left_out, both);
      if (j == 0) break;
      Emit(j);
      LeaveOutBetween(j, left_out);
      StepBack(j);
    }
  }

 private:
  static constexpr Tag<kClusters> kTag{};

  ClusterStep Step(size_t j) const { return j == 0 ? ClusterStep{0, tables_.share} : From(steps_.typed[j]); }
  ClusterStep From(size_t m) const { return {steps_.from_stays[m], steps_.from_switched + m * kClusters}; }
  ClusterStep To(size_t m) const { return {steps_.to_stays[m], steps_.to_switched + m * kClusters}; }
  const float* Alt(size_t j) const { return tables_.alt + steps_.typed[j] * kClusters; }

  void SetEmissions(size_t j, float factor);
  void Forward(size_t j);
  void SumRows(size_t j);
  void CountAlleles(size_t j, const ClusterCounts& counts);
  void CountSwitches(size_t j, const ClusterCounts& counts);
  void LeaveOutTyped(size_t j, float* left_out, float* both);
  void LeaveOutBetween(size_t j, float* left_out);
  float LeftOutAt(size_t j, size_t m) const;
  void Emit(size_t j);
  void StepBack(size_t j);

  const ClusterTables& tables_;
  const TypedSteps& steps_;
  const ClusterLikelihoods* likelihoods_;               // [markers]
  float* forward_;                                      // [typed, K, K], each with sum 1
  std::vector<float> scale_, sums_;                     // [typed], and [typed, K] of the rows of forward_
  std::vector<float> backward_;                         // [K, K] at a typed marker, without its genotype before Emit()
  HWY_ALIGN float base_[kClusters], slope_[kClusters];  // of the emissions of the pairs with each cluster
  HWY_ALIGN float rows_[kClusters], other_rows_[kClusters];
};

// Sets the emissions of the genotype at a typed marker, each times `factor`.
template <size_t kClusters>
void PairChain<kClusters>::SetEmissions(size_t j, float factor) {
  const GenotypeEmission genotype(likelihoods_[steps_.typed[j]]);
  for (size_t a = 0; a < kClusters; ++a) {
    const auto [base, slope] = genotype.Given(Alt(j)[a]);
    base_[a] = factor * base;
    slope_[a] = factor * slope;
  }
}

template <size_t kClusters>
void PairChain<kClusters>::Forward(size_t j) {
  const ClusterStep step = Step(j);
  const float* before = forward_ + (j == 0 ? 0 : j - 1) * kClusters * kClusters;
  const float* before_sums = &sums_[(j == 0 ? 0 : j - 1) * kClusters];
  float* now = forward_ + j * kClusters * kClusters;
  float* sums = &sums_[j * kClusters];
  if (j == 0) std::fill_n(now, kClusters * kClusters, 0.0f);
  SetEmissions(j, 1);
  // The second haplotype switches, whatever the first one does; or it stays, and the first one switches.
  for (size_t a = 0; a < kClusters; ++a) {
    rows_[a] = step.stays * before_sums[a] + step.switched[a];
    other_rows_[a] = step.stays * step.switched[a];
  }
  const Vector<kClusters> both_stay = hn::Set(kTag, step.stays * step.stays);
  Vector<kClusters> total = hn::Zero(kTag);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    const Vector<kClusters> switched = hn::LoadU(kTag, step.switched + k), from = hn::LoadU(kTag, before_sums + k),
                            alt = hn::LoadU(kTag, Alt(j) + k);
    Vector<kClusters> sum = hn::Zero(kTag);
    for (size_t a = 0; a < kClusters; ++a) {
      Vector<kClusters> p = hn::Mul(both_stay, hn::LoadU(kTag, before + a * kClusters + k));
      p = hn::MulAdd(hn::Set(kTag, rows_[a]), switched, p);
      p = hn::MulAdd(hn::Set(kTag, other_rows_[a]), from, p);
      p = hn::Mul(p, Likely<kClusters>({base_[a], slope_[a]}, alt));
      hn::StoreU(p, kTag, now + a * kClusters + k);
      sum = hn::Add(sum, p);
    }
    hn::StoreU(sum, kTag, sums + k);
    total = hn::Add(total, sum);
  }
  scale_[j] = Sum<kClusters>(total);
  const Vector<kClusters> inverse = hn::Set(kTag, 1 / scale_[j]);
  for (size_t k = 0; k < kClusters * kClusters; k += hn::Lanes(kTag)) {
    hn::StoreU(hn::Mul(hn::LoadU(kTag, now + k), inverse), kTag, now + k);
  }
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    hn::StoreU(hn::Mul(hn::LoadU(kTag, sums + k), inverse), kTag, sums + k);
  }
}

// Sets rows_ to the probabilities of each cluster of one haplotype at a typed marker, given the genotypes at all
// others, and other_rows_ to those where the other haplotype has ALT.
template <size_t kClusters>
void PairChain<kClusters>::SumRows(size_t j) {
  const float* forward = forward_ + j * kClusters * kClusters;
  SetEmissions(j, 1);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    const Vector<kClusters> alt = hn::LoadU(kTag, Alt(j) + k);
    Vector<kClusters> sum = hn::Zero(kTag), alts = sum;
    for (size_t a = 0; a < kClusters; ++a) {
      const size_t i = a * kClusters + k;
      const Vector<kClusters> both = hn::Mul(hn::LoadU(kTag, forward + i), hn::LoadU(kTag, &backward_[i]));
      const Vector<kClusters> p = hn::Div(both, Likely<kClusters>({base_[a], slope_[a]}, alt));
      sum = hn::Add(sum, p);
      alts = hn::MulAdd(p, hn::Set(kTag, Alt(j)[a]), alts);
    }
    hn::StoreU(sum, kTag, rows_ + k);
    hn::StoreU(alts, kTag, other_rows_ + k);
  }
}

template <size_t kClusters>
void PairChain<kClusters>::CountAlleles(size_t j, const ClusterCounts& counts) {
  const auto [none, one, two] = likelihoods_[steps_.typed[j]];
  if (none == one && one == two) return;
  SumRows(j);
  for (size_t a = 0; a < kClusters; ++a) {
    const float alt = Alt(j)[a];
    counts.ref[j * kClusters + a] += (1 - alt) * (none * rows_[a] + (one - none) * other_rows_[a]);
    counts.alt[j * kClusters + a] += alt * (one * rows_[a] + (two - one) * other_rows_[a]);
  }
}

template <size_t kClusters>
void PairChain<kClusters>::CountSwitches(size_t j, const ClusterCounts& counts) {
  const ClusterStep step = Step(j);
  for (size_t a = 0; a < kClusters; ++a) {
    other_rows_[a] = step.switched[a] + (j == 0 ? 0 : step.stays * sums_[(j - 1) * kClusters + a]);
  }
  Multiply<kClusters>(backward_.data(), other_rows_, rows_);
  for (size_t a = 0; a < kClusters; ++a) counts.switched[j * kClusters + a] += step.switched[a] * rows_[a];
}

template <size_t kClusters>
void PairChain<kClusters>::LeaveOutTyped(size_t j, float* left_out, float* both) {
  SumRows(j);
  float total = 0, alts = 0, pairs = 0;
  for (size_t a = 0; a < kClusters; ++a) {
    total += rows_[a];
    alts += Alt(j)[a] * rows_[a];
    pairs += Alt(j)[a] * other_rows_[a];
  }
  left_out[steps_.typed[j]] = alts / total;
  both[steps_.typed[j]] = pairs / total;
}

template <size_t kClusters>
void PairChain<kClusters>::Emit(size_t j) {
  SetEmissions(j, 1 / scale_[j]);
  for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
    const Vector<kClusters> alt = hn::LoadU(kTag, Alt(j) + k);
    for (size_t a = 0; a < kClusters; ++a) {
      float* p = &backward_[a * kClusters + k];
      hn::StoreU(hn::Mul(hn::LoadU(kTag, p), Likely<kClusters>({base_[a], slope_[a]}, alt)), kTag, p);
    }
  }
}

template <size_t kClusters>
void PairChain<kClusters>::LeaveOutBetween(size_t j, float* left_out) {
  if (steps_.typed[j - 1] + 1 == steps_.typed[j]) return;
  const float* before = forward_ + (j - 1) * kClusters * kClusters;
  for (size_t a = 0; a < kClusters; ++a) rows_[a] = Dot<kClusters>(before + a * kClusters, &backward_[a * kClusters]);
  Multiply<kClusters>(backward_.data(), &sums_[(j - 1) * kClusters], other_rows_);
  for (size_t m = steps_.typed[j - 1] + 1; m < steps_.typed[j]; ++m) left_out[m] = LeftOutAt(j, m);
}

// The probability of each cluster of a haplotype at marker m: the sum over the other haplotype's clusters of the
// forward probabilities, taken from the typed marker before to m, times the backward ones, taken from that after to m.
template <size_t kClusters>
float PairChain<kClusters>::LeftOutAt(size_t j, size_t m) const {
  const ClusterStep from = From(m), to = To(m);
  const float* sums = &sums_[(j - 1) * kClusters];
  HWY_ALIGN float back_from[kClusters], back_to[kClusters], there_and_back[kClusters];
  Multiply<kClusters>(backward_.data(), from.switched, back_from);
  Multiply<kClusters>(backward_.data(), to.switched, back_to);
  Multiply<kClusters>(forward_ + (j - 1) * kClusters * kClusters, back_to, there_and_back);
  const float both_switch = Dot<kClusters>(to.switched, back_to), switched_to = Dot<kClusters>(from.switched, back_to);
  const float kept_to = Dot<kClusters>(sums, back_to), s1 = from.stays, s2 = to.stays;
  float total = 0, alts = 0;
  for (size_t k = 0; k < kClusters; ++k) {
    const float v = from.switched[k], f = sums[k], row = s1 * f + v;
    const float neither = s1 * (s1 * rows_[k] + f * back_from[k] + v * other_rows_[k]) + v * back_from[k];
    const float one = s1 * s1 * there_and_back[k] + row * switched_to + s1 * v * kept_to;
    const float p = s2 * s2 * neither + (s2 * back_to[k] + both_switch) * row + s2 * one;
    total += p;
    alts += p * tables_.alt[m * kClusters + k];
  }
  return alts / total;
}

template <size_t kClusters>
void PairChain<kClusters>::StepBack(size_t j) {
  const ClusterStep step = Step(j);
  HWY_ALIGN float back[kClusters];
  Multiply<kClusters>(backward_.data(), step.switched, back);
  const float both_switch = Dot<kClusters>(step.switched, back);
  const Vector<kClusters> stays = hn::Set(kTag, step.stays), both_stay = hn::Set(kTag, step.stays * step.stays);
  for (size_t a = 0; a < kClusters; ++a) {
    const Vector<kClusters> add = hn::Set(kTag, step.stays * back[a] + both_switch);
    for (size_t k = 0; k < kClusters; k += hn::Lanes(kTag)) {
      float* p = &backward_[a * kClusters + k];
      const Vector<kClusters> one = hn::MulAdd(stays, hn::LoadU(kTag, back + k), add);
      hn::StoreU(hn::MulAdd(both_stay, hn::LoadU(kTag, p), one), kTag, p);
    }
  }
}

void CountPair(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
               float* forward, const ClusterCounts& counts) {
  PairChain<kFewClusters>(tables, steps, likelihoods, forward).Count(counts);
}

void LeaveOutGenotypes(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
                       float* forward, float* left_out, float* both) {
  if (tables.clusters == kManyClusters) {
    PairChain<kManyClusters>(tables, steps, likelihoods, forward).LeaveOut(left_out, both);
  } else {
    PairChain<kFewClusters>(tables, steps, likelihoods, forward).LeaveOut(left_out, both);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(CountPair);
HWY_EXPORT(LeaveOutGenotypes);

void CountPair(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
               float* forward, const ClusterCounts& counts) {
  HWY_DYNAMIC_DISPATCH(CountPair)(tables, steps, likelihoods, forward, counts);
}

void LeaveOutGenotypes(const ClusterTables& tables, const TypedSteps& steps, const ClusterLikelihoods* likelihoods,
                       float* forward, float* left_out, float* both) {
  HWY_DYNAMIC_DISPATCH(LeaveOutGenotypes)(tables, steps, likelihoods, forward, left_out, both);
}

}  // namespace haplospin
#endif
