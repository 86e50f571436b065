#include "learning/imputer_training/network_inputs.h"

namespace haplospin {

void SetMarkerFeatures(const MarkerFeatures& marker, float regression, float* row) {
  row[marker_feature::kMinorFrequency] = marker.minor_frequency;
  row[marker_feature::kLogitFrequency] = marker.logit_frequency;
  row[marker_feature::kLogCarriers] = marker.log_carriers;
  row[marker_feature::kLogNonCarriers] = marker.log_non_carriers;
  row[marker_feature::kLogDistance] = marker.log_distance;
  row[marker_feature::kPlace] = marker.in_interval;
  row[marker_feature::kRegressionR2] = marker.regression_r2;
  row[marker_feature::kRegression] = regression;
}

void NetworkInputs::AddInterval(const CopyFeatures& copy, const PanelFeatures& panel, size_t num_candidates) {
  const float* values = &copy.values[0][0];
  features.insert(features.end(), values, values + kNumCopyFeatures * kMaxCandidates);
  at_left.insert(at_left.end(), copy.at_left, copy.at_left + kMaxCandidates);
  at_right.insert(at_right.end(), copy.at_right, copy.at_right + kMaxCandidates);
  panel_features.insert(panel_features.end(), panel.begin(), panel.end());
  count.push_back(static_cast<int64_t>(num_candidates));
}

void NetworkInputs::AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& mask) {
  interval.push_back(static_cast<int64_t>(count.size()) - 1);
  for (size_t k = 0; k < kMaxCandidates; ++k) carriers.push_back(mask.Has(k));
  const size_t row = marker_features.size();
  marker_features.resize(row + kNumMarkerFeatures);
  SetMarkerFeatures(marker, regression, &marker_features[row]);
}

void NetworkInputs::Append(const NetworkInputs& other) {
  const auto shift = static_cast<int64_t>(count.size());
  for (int64_t i : other.interval) interval.push_back(i + shift);
  AppendTo(features, other.features);
  AppendTo(at_left, other.at_left);
  AppendTo(at_right, other.at_right);
  AppendTo(panel_features, other.panel_features);
  AppendTo(count, other.count);
  AppendTo(carriers, other.carriers);
  AppendTo(marker_features, other.marker_features);
}

}  // namespace haplospin
