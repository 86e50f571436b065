#include "imputation/copying/kernels/feature_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "imputation/copying/kernels/feature_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// After foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<D>;
using V = hn::Vec<D>;
using VI = hn::Vec<DI>;

constexpr float kProbabilityScale = 1 / kLogProbabilityUnit;

V LogDistance(V centimorgans) {
  const D d;
  const V distance = hn::Add(hn::Max(centimorgans, hn::Zero(d)), hn::Set(d, kMinCentimorgans));
  return hn::Mul(hn::Log(d, distance), hn::Set(d, kMismatchScale));
}

V LogInformation(V information) {
  const D d;
  const V seen = hn::Add(hn::Max(information, hn::Zero(d)), hn::Set(d, 1.0f));
  return hn::Mul(hn::Log(d, seen), hn::Set(d, kMismatchScale));
}

void LeftFeatures(const FeatureInputs& in, V middle, size_t k, CopyFeatures& out) {
  const D d;
  const DI di;
  const VI one = hn::Set(di, 1);
  V before = hn::Set(d, in.information[in.interval]);
  for (size_t u = 0; u < kMismatches; ++u) {
    const VI at = hn::Load(di, in.left[u] + k);
    const VI after = hn::Add(at, one);  // the first marker that matches; entry at + 1 of the centimorgans is `at`
    hn::Store(LogDistance(hn::Sub(middle, hn::GatherIndex(d, in.centimorgans, after))), d,
              out.values[copy_feature::kLeft + 2 * u] + k);
    const V from = hn::GatherIndex(d, in.information, after);
    hn::Store(LogInformation(hn::Sub(before, from)), d, out.values[copy_feature::kLeft + 2 * u + 1] + k);
    before = hn::GatherIndex(d, in.information, hn::Max(at, hn::Zero(di)));
  }
}

void RightFeatures(const FeatureInputs& in, V middle, size_t k, CopyFeatures& out) {
  const D d;
  const DI di;
  const VI one = hn::Set(di, 1);
  const VI last = hn::Set(di, in.num_typed);
  V after = hn::Set(d, in.information[in.interval]);
  for (size_t u = 0; u < kMismatches; ++u) {
    const VI at = hn::Load(di, in.right[u] + k);
    const V distance = hn::Sub(hn::GatherIndex(d, in.centimorgans, hn::Add(at, one)), middle);
    hn::Store(LogDistance(distance), d, out.values[copy_feature::kRight + 2 * u] + k);
    const V to = hn::GatherIndex(d, in.information, at);
    hn::Store(LogInformation(hn::Sub(to, after)), d, out.values[copy_feature::kRight + 2 * u + 1] + k);
    after = hn::GatherIndex(d, in.information, hn::Min(hn::Add(at, one), last));
  }
}

float Largest(const float* values, size_t count) {
  const D d;
  V largest = hn::Load(d, values);
  for (size_t k = hn::Lanes(d); k < count; k += hn::Lanes(d)) largest = hn::Max(largest, hn::Load(d, values + k));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

void CopyingFeatures(const float* probabilities, size_t count, float* absolute, float* relative) {
  const D d;
  const V scale = hn::Set(d, kProbabilityScale);
  const V min_probability = hn::Set(d, kMinCopyingProbability);
  for (size_t k = 0; k < count; k += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Log(d, hn::Max(hn::Load(d, probabilities + k), min_probability)), scale), d, absolute + k);
  }
  const V best = hn::Set(d, Largest(absolute, count));
  for (size_t k = 0; k < count; k += hn::Lanes(d)) {
    hn::Store(hn::Sub(hn::Load(d, absolute + k), best), d, relative + k);
  }
}

void ComputeFeatures(const FeatureInputs& in, size_t count, CopyFeatures& out) {
  namespace row = copy_feature;
  const D d;
  const V middle = hn::Set(d, 0.5f * (in.centimorgans[in.interval] + in.centimorgans[in.interval + 1]));
  for (size_t k = 0; k < count; k += hn::Lanes(d)) {
    LeftFeatures(in, middle, k, out);
    RightFeatures(in, middle, k, out);
    const V scale = hn::Set(d, kAncestryScale);
    hn::Store(hn::Mul(hn::Load(d, in.log_share + k), scale), d, out.values[row::kLogSampleShare] + k);
    hn::Store(hn::Mul(hn::Load(d, in.population_log_share + k), scale), d, out.values[row::kLogPopulationShare] + k);
  }
  CopyingFeatures(in.forward, count, out.values[row::kLogForward], out.values[row::kLogForwardToBest]);
  CopyingFeatures(in.backward, count, out.values[row::kLogBackward], out.values[row::kLogBackwardToBest]);
}

}  // namespace HWY_NAMESPACE
}  // namespace haplospin
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haplospin {

HWY_EXPORT(ComputeFeatures);

void ComputeFeatures(const FeatureInputs& inputs, size_t count, CopyFeatures& features) {
  HWY_DYNAMIC_DISPATCH(ComputeFeatures)(inputs, count, features);
}

}  // namespace haplospin
#endif
