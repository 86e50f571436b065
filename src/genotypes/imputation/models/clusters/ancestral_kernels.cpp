#include "genotypes/imputation/models/clusters/ancestral_kernels.h"

#include <algorithm>
#include <vector>

#include "haplospin/study_genotypes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/clusters/ancestral_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Tag>;
constexpr Tag kTag;

// Whether an allele or genotype is likely for an ancestor, or for a pair of which one is given: a + b * alt.
struct Emission {
  float a, b;
};

HWY_INLINE Emission AlleleEmission(uint8_t allele) {
  if (allele == kMissingAllele) return {1, 0};
  return allele == 0 ? Emission{1, -1} : Emission{0, 1};
}

// `alt` is that of the other ancestor.
HWY_INLINE Emission GenotypeEmission(int8_t genotype, float alt) {
  if (genotype < 0) return {1, 0};
  if (genotype == 0) return {1 - alt, alt - 1};
  return genotype == 1 ? Emission{alt, 1 - 2 * alt} : Emission{0, alt};
}

HWY_INLINE Vector Likely(Emission emission, Vector alt) {
  return hn::MulAdd(hn::Set(kTag, emission.b), alt, hn::Set(kTag, emission.a));
}

HWY_INLINE float Sum(Vector v) { return hn::GetLane(hn::SumOfLanes(kTag, v)); }

HWY_INLINE float Dot(const float* a, const float* b) {
  Vector sum = hn::Zero(kTag);
  for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
    sum = hn::MulAdd(hn::LoadU(kTag, a + k), hn::LoadU(kTag, b + k), sum);
  }
  return Sum(sum);
}

// out = a symmetric matrix times v. Four sums, because an addition waits for the one before it.
HWY_INLINE void Multiply(const float* matrix, const float* v, float* out) {
  for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
    Vector sum0 = hn::Zero(kTag), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (size_t a = 0; a < kAncestors; a += 4) {
      const float* row = matrix + a * kAncestors + k;
      sum0 = hn::MulAdd(hn::Set(kTag, v[a]), hn::LoadU(kTag, row), sum0);
      sum1 = hn::MulAdd(hn::Set(kTag, v[a + 1]), hn::LoadU(kTag, row + kAncestors), sum1);
      sum2 = hn::MulAdd(hn::Set(kTag, v[a + 2]), hn::LoadU(kTag, row + 2 * kAncestors), sum2);
      sum3 = hn::MulAdd(hn::Set(kTag, v[a + 3]), hn::LoadU(kTag, row + 3 * kAncestors), sum3);
    }
    hn::StoreU(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), kTag, out + k);
  }
}

void AncestorForward(const AncestorTables& tables, const uint8_t* alleles, float* forward, float* scale) {
  for (size_t m = 0; m < tables.markers; ++m) {
    const float* alt = tables.alt + m * kAncestors;
    const float* share = tables.share + m * kAncestors;
    float* row = forward + m * kAncestors;
    const float* before = m == 0 ? share : row - kAncestors;  // switches[0] is 1: the value does not matter
    const Emission emission = AlleleEmission(alleles[m]);
    const Vector switched = hn::Set(kTag, tables.switches[m]), stayed = hn::Set(kTag, 1 - tables.switches[m]);
    Vector sum = hn::Zero(kTag);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      Vector p = hn::MulAdd(stayed, hn::LoadU(kTag, before + k), hn::Mul(switched, hn::LoadU(kTag, share + k)));
      p = hn::Mul(p, Likely(emission, hn::LoadU(kTag, alt + k)));
      hn::StoreU(p, kTag, row + k);
      sum = hn::Add(sum, p);
    }
    scale[m] = Sum(sum);
    const Vector inverse = hn::Set(kTag, 1 / scale[m]);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      hn::StoreU(hn::Mul(hn::LoadU(kTag, row + k), inverse), kTag, row + k);
    }
  }
}

// Backward probabilities of a haplotype, from the last marker to the first.
class Backward {
 public:
  Backward(const AncestorTables& tables, const uint8_t* alleles, const float* scale)
      : tables_(tables), alleles_(alleles), scale_(scale) {
    std::fill_n(row_, kAncestors, 1.0f);
  }

  const float* row() const { return row_; }  // at the marker that Pass() takes next

  // Goes to the marker before m. If `switched` is not null, adds the expected switches to each ancestor at m.
  void Pass(size_t m, float* switched) {
    const float* share = tables_.share + m * kAncestors;
    const Emission emission = AlleleEmission(alleles_[m]);
    const Vector inverse = hn::Set(kTag, 1 / scale_[m]), rate = hn::Set(kTag, tables_.switches[m]);
    Vector sum = hn::Zero(kTag);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      const Vector likely = hn::Mul(inverse, Likely(emission, hn::LoadU(kTag, tables_.alt + m * kAncestors + k)));
      const Vector next = hn::Mul(likely, hn::LoadU(kTag, row_ + k));
      const Vector to = hn::Mul(next, hn::LoadU(kTag, share + k));
      sum = hn::Add(sum, to);
      hn::StoreU(next, kTag, row_ + k);
      if (switched) hn::StoreU(hn::MulAdd(rate, to, hn::LoadU(kTag, switched + k)), kTag, switched + k);
    }
    const Vector any = hn::Set(kTag, tables_.switches[m] * Sum(sum)), stayed = hn::Set(kTag, 1 - tables_.switches[m]);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      hn::StoreU(hn::MulAdd(stayed, hn::LoadU(kTag, row_ + k), any), kTag, row_ + k);
    }
  }

 private:
  const AncestorTables& tables_;
  const uint8_t* alleles_;
  const float* scale_;
  HWY_ALIGN float row_[kAncestors];
};

void CountAncestors(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                    const AncestorCounts& counts) {
  Backward backward(tables, alleles, scale);
  for (size_t m = tables.markers; m-- > 0;) {
    float* copied = (alleles[m] == 0 ? counts.ref : counts.alt) + m * kAncestors;
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      const Vector p = hn::LoadU(kTag, forward + m * kAncestors + k);
      hn::StoreU(hn::MulAdd(p, hn::LoadU(kTag, backward.row() + k), hn::LoadU(kTag, copied + k)), kTag, copied + k);
    }
    backward.Pass(m, counts.switched + m * kAncestors);
  }
}

void LeaveOutAlleles(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                     float* left_out) {
  Backward backward(tables, alleles, scale);
  for (size_t m = tables.markers; m-- > 0;) {
    const Emission emission = AlleleEmission(alleles[m]);
    Vector sum = hn::Zero(kTag), alts = sum;
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      const Vector alt = hn::LoadU(kTag, tables.alt + m * kAncestors + k);
      const Vector both = hn::Mul(hn::LoadU(kTag, forward + m * kAncestors + k), hn::LoadU(kTag, backward.row() + k));
      const Vector p = hn::Div(both, Likely(emission, alt));
      sum = hn::Add(sum, p);
      alts = hn::MulAdd(p, alt, alts);
    }
    left_out[m] = Sum(alts) / Sum(sum);
    backward.Pass(m, nullptr);
  }
}

// Probabilities of the pairs of ancestors of a genotype, from stop to stop: Scheet and Stephens, equations of the
// appendix, with the sums over one of both ancestors taken once. All matrices are symmetric, [K, K].
class PairChain {
 public:
  PairChain(const AncestorTables& tables, const PairMarkers& markers, const int8_t* genotypes, float* forward,
            float* left_out)
      : tables_(tables),
        markers_(markers),
        genotypes_(genotypes),
        forward_(forward),
        left_out_(left_out),
        scale_(markers.stops.size()),
        sums_(markers.stops.size() * kAncestors),
        backward_(kAncestors * kAncestors, 1.0f) {}

  void Run() {
    const size_t stops = markers_.stops.size();
    for (size_t j = 0; j < stops; ++j) Forward(j);
    for (size_t j = stops; j-- > 0;) {
      LeaveOutStop(j);
      if (j == 0) break;
      Emit(j);
      Between(j);
      StepBack(j);
    }
  }

 private:
  AncestorStep Step(size_t j) const { return From(markers_.stops[j]); }
  AncestorStep From(size_t m) const { return {markers_.from_stays[m], markers_.from_switched + m * kAncestors}; }
  AncestorStep To(size_t m) const { return {markers_.to_stays[m], markers_.to_switched + m * kAncestors}; }
  const float* Alt(size_t j) const { return tables_.alt + markers_.stops[j] * kAncestors; }

  void Forward(size_t j);
  void LeaveOutStop(size_t j);
  void Emit(size_t j);
  void Between(size_t j);
  void LeaveOutBetween(size_t j, size_t m);
  void StepBack(size_t j);

  const AncestorTables& tables_;
  const PairMarkers& markers_;
  const int8_t* genotypes_;
  float* forward_;                   // [stops, K, K], each with sum 1
  float* left_out_;                  // [markers]
  std::vector<float> scale_, sums_;  // [stops], and [stops, K] of the rows of forward_
  std::vector<float> backward_;      // [K, K] at a stop, without its genotype before Emit()
  HWY_ALIGN float both_[kAncestors], emitted_sums_[kAncestors];
};

void PairChain::Forward(size_t j) {
  const AncestorStep step = j == 0 ? AncestorStep{0, tables_.share} : Step(j);
  const float* before = forward_ + (j == 0 ? 0 : j - 1) * kAncestors * kAncestors;
  const float* before_sums = &sums_[(j == 0 ? 0 : j - 1) * kAncestors];
  float* now = forward_ + j * kAncestors * kAncestors;
  float* sums = &sums_[j * kAncestors];
  if (j == 0) std::fill_n(now, kAncestors * kAncestors, 0.0f);
  float total = 0;
  const Vector both_stay = hn::Set(kTag, step.stays * step.stays);
  for (size_t a = 0; a < kAncestors; ++a) {
    const Vector to = hn::Set(kTag, step.stays * before_sums[a] + step.switched[a]);
    const Vector from = hn::Set(kTag, step.stays * step.switched[a]);
    const Emission emission = GenotypeEmission(genotypes_[j], Alt(j)[a]);
    Vector sum = hn::Zero(kTag);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      Vector p = hn::Mul(both_stay, hn::LoadU(kTag, before + a * kAncestors + k));
      p = hn::MulAdd(to, hn::LoadU(kTag, step.switched + k), p);
      p = hn::MulAdd(from, hn::LoadU(kTag, before_sums + k), p);
      p = hn::Mul(p, Likely(emission, hn::LoadU(kTag, Alt(j) + k)));
      hn::StoreU(p, kTag, now + a * kAncestors + k);
      sum = hn::Add(sum, p);
    }
    both_[a] = Sum(sum);
    total += both_[a];
  }
  scale_[j] = total;
  const Vector inverse = hn::Set(kTag, 1 / total);
  for (size_t k = 0; k < kAncestors * kAncestors; k += hn::Lanes(kTag)) {
    hn::StoreU(hn::Mul(hn::LoadU(kTag, now + k), inverse), kTag, now + k);
  }
  for (size_t a = 0; a < kAncestors; ++a) sums[a] = both_[a] / total;
}

void PairChain::LeaveOutStop(size_t j) {
  const float* forward = forward_ + j * kAncestors * kAncestors;
  float total = 0, alts = 0;
  for (size_t a = 0; a < kAncestors; ++a) {
    const Emission emission = GenotypeEmission(genotypes_[j], Alt(j)[a]);
    Vector sum = hn::Zero(kTag);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      const Vector p =
          hn::Mul(hn::LoadU(kTag, forward + a * kAncestors + k), hn::LoadU(kTag, &backward_[a * kAncestors + k]));
      sum = hn::Add(sum, hn::Div(p, Likely(emission, hn::LoadU(kTag, Alt(j) + k))));
    }
    const float row = Sum(sum);
    total += row;
    alts += Alt(j)[a] * row;
  }
  left_out_[markers_.stops[j]] = alts / total;
}

void PairChain::Emit(size_t j) {
  for (size_t a = 0; a < kAncestors; ++a) {
    Emission emission = GenotypeEmission(genotypes_[j], Alt(j)[a]);
    emission = {emission.a / scale_[j], emission.b / scale_[j]};
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      float* p = &backward_[a * kAncestors + k];
      hn::StoreU(hn::Mul(hn::LoadU(kTag, p), Likely(emission, hn::LoadU(kTag, Alt(j) + k))), kTag, p);
    }
  }
}

void PairChain::Between(size_t j) {
  if (markers_.stops[j - 1] + 1 == markers_.stops[j]) return;
  const float* before = forward_ + (j - 1) * kAncestors * kAncestors;
  for (size_t a = 0; a < kAncestors; ++a) both_[a] = Dot(before + a * kAncestors, &backward_[a * kAncestors]);
  Multiply(backward_.data(), &sums_[(j - 1) * kAncestors], emitted_sums_);
  for (size_t m = markers_.stops[j - 1] + 1; m < markers_.stops[j]; ++m) LeaveOutBetween(j, m);
}

// The probability of each ancestor of a haplotype at marker m: the sum over the other haplotype's ancestors of the
// forward probabilities, taken from the stop before to m, times the backward ones, taken from the stop after to m.
void PairChain::LeaveOutBetween(size_t j, size_t m) {
  const AncestorStep from = From(m), to = To(m);
  const float* sums = &sums_[(j - 1) * kAncestors];
  HWY_ALIGN float back_from[kAncestors], back_to[kAncestors], there_and_back[kAncestors];
  Multiply(backward_.data(), from.switched, back_from);
  Multiply(backward_.data(), to.switched, back_to);
  Multiply(forward_ + (j - 1) * kAncestors * kAncestors, back_to, there_and_back);
  const float both_switch = Dot(to.switched, back_to), switched_to = Dot(from.switched, back_to);
  const float kept_to = Dot(sums, back_to), s1 = from.stays, s2 = to.stays;
  float total = 0, alts = 0;
  for (size_t k = 0; k < kAncestors; ++k) {
    const float v = from.switched[k], f = sums[k], row = s1 * f + v;
    const float neither = s1 * (s1 * both_[k] + f * back_from[k] + v * emitted_sums_[k]) + v * back_from[k];
    const float one = s1 * s1 * there_and_back[k] + row * switched_to + s1 * v * kept_to;
    const float p = s2 * s2 * neither + (s2 * back_to[k] + both_switch) * row + s2 * one;
    total += p;
    alts += p * tables_.alt[m * kAncestors + k];
  }
  left_out_[m] = alts / total;
}

void PairChain::StepBack(size_t j) {
  const AncestorStep step = Step(j);
  HWY_ALIGN float back[kAncestors];
  Multiply(backward_.data(), step.switched, back);
  const float both_switch = Dot(step.switched, back);
  const Vector stays = hn::Set(kTag, step.stays), both_stay = hn::Set(kTag, step.stays * step.stays);
  for (size_t a = 0; a < kAncestors; ++a) {
    const Vector add = hn::Set(kTag, step.stays * back[a] + both_switch);
    for (size_t k = 0; k < kAncestors; k += hn::Lanes(kTag)) {
      float* p = &backward_[a * kAncestors + k];
      const Vector one = hn::MulAdd(stays, hn::LoadU(kTag, back + k), add);
      hn::StoreU(hn::MulAdd(both_stay, hn::LoadU(kTag, p), one), kTag, p);
    }
  }
}

void LeaveOutGenotypes(const AncestorTables& tables, const PairMarkers& markers, const int8_t* genotypes,
                       float* forward, float* left_out) {
  PairChain(tables, markers, genotypes, forward, left_out).Run();
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(AncestorForward);
HWY_EXPORT(CountAncestors);
HWY_EXPORT(LeaveOutAlleles);
HWY_EXPORT(LeaveOutGenotypes);

void AncestorForward(const AncestorTables& tables, const uint8_t* alleles, float* forward, float* scale) {
  HWY_DYNAMIC_DISPATCH(AncestorForward)(tables, alleles, forward, scale);
}

void CountAncestors(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                    const AncestorCounts& counts) {
  HWY_DYNAMIC_DISPATCH(CountAncestors)(tables, alleles, forward, scale, counts);
}

void LeaveOutAlleles(const AncestorTables& tables, const uint8_t* alleles, const float* forward, const float* scale,
                     float* left_out) {
  HWY_DYNAMIC_DISPATCH(LeaveOutAlleles)(tables, alleles, forward, scale, left_out);
}

void LeaveOutGenotypes(const AncestorTables& tables, const PairMarkers& markers, const int8_t* genotypes,
                       float* forward, float* left_out) {
  HWY_DYNAMIC_DISPATCH(LeaveOutGenotypes)(tables, markers, genotypes, forward, left_out);
}

}  // namespace haplospin
#endif
