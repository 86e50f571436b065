// The network's inputs for many intervals: the form in which targets are passed to LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "genotypes/imputation/models/copying/match_features.h"
#include "genotypes/imputation/models/network/allele_features.h"
#include "genotypes/imputation/models/network/window_alleles.h"

namespace haplospin {

// The columns of marker_features: those of MarkerFeatures, and the prediction by regression.
namespace marker_feature {
enum Column : size_t {
  kMinorFrequency,
  kLogitFrequency,
  kLogCarriers,
  kLogNonCarriers,
  kLogDistance,
  kPlace,
  kRegressionR2,
  kRegression,  // probability of the minor allele, which differs between targets
  kCount
};
}
inline constexpr size_t kNumMarkerFeatures = marker_feature::kCount;

// Sets the kNumMarkerFeatures values of `row`.
void SetMarkerFeatures(const MarkerFeatures& marker, float regression, float* row);

template <typename T>
void AppendTo(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

struct NetworkInputs {
  std::vector<float> features;         // [intervals, kNumCopyFeatures, kMaxCandidates]
  std::vector<float> at_left;          // [intervals, kMaxCandidates] as in CopyCandidates
  std::vector<float> at_right;         // [intervals, kMaxCandidates]
  std::vector<float> panel_features;   // [intervals, kNumPanelFeatures]
  std::vector<int64_t> count;          // [intervals] number of candidates
  std::vector<int64_t> interval;       // [markers] interval of each marker at which the candidates differ
  std::vector<uint8_t> carriers;       // [markers, kMaxCandidates] 1 where a candidate carries the minor allele
  std::vector<float> marker_features;  // [markers, kNumMarkerFeatures]

  void AddInterval(const CopyFeatures& copy, const PanelFeatures& panel, size_t num_candidates);
  // Adds a marker to the interval that was added last.
  void AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& mask);
  void Append(const NetworkInputs& other);
};

}  // namespace haplospin
