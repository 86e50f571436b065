#include "genotypes/imputation/models/copying/match_features.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "genotypes/imputation/models/copying/feature_kernels.cpp"
#include <hwy/foreach_target.h>  // compiles this file once per instruction set
// Headers to include after foreach_target.h:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace haplospin {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

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

void MismatchFeatures(const MismatchRows& in, size_t first_row, size_t count, CopyFeatures& out) {
  const D d;
  for (size_t u = 0; u < kMismatches; ++u) {
    float* distance = out.values[first_row + 2 * u];
    float* information = out.values[first_row + 2 * u + 1];
    for (size_t k = 0; k < count; k += hn::Lanes(d)) {
      hn::Store(LogDistance(hn::Load(d, in.centimorgans[u] + k)), d, distance + k);
      hn::Store(LogInformation(hn::Load(d, in.information[u] + k)), d, information + k);
    }
  }
}

void Scaled(const float* values, float scale, size_t count, float* out) {
  const D d;
  for (size_t k = 0; k < count; k += hn::Lanes(d)) {
    hn::Store(hn::Mul(hn::Load(d, values + k), hn::Set(d, scale)), d, out + k);
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
  MismatchFeatures(in.left, row::kLeft, count, out);
  MismatchFeatures(in.right, row::kRight, count, out);
  CopyingFeatures(in.forward, count, out.values[row::kLogForward], out.values[row::kLogForwardToBest]);
  CopyingFeatures(in.backward, count, out.values[row::kLogBackward], out.values[row::kLogBackwardToBest]);
  Scaled(in.log_share, kAncestryScale, count, out.values[row::kLogSampleShare]);
  Scaled(in.population_log_share, kAncestryScale, count, out.values[row::kLogPopulationShare]);
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
