#include "genotypes/imputation/models/network/cpu_network.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace haplospin {
namespace {

float Scaled(float logit) { return std::clamp(logit, -kMaxLogit, kMaxLogit) * (1 / kAttentionUnit); }

float Logit(float p) { return std::log(p / (1 - p)); }

}  // namespace

void CpuComputation::FillColumn(const MarkerFeatures& marker, float regression, const CandidateMask& carriers) {
  SplitAttention split;
  Split(attention_, marker.in_interval, carriers, split);
  const float p =
      std::clamp((1 - network_.panel_share) * split.weight[1] + network_.panel_share * marker.minor_frequency,
                 kMinAlleleProbability, 1 - kMinAlleleProbability);
  const float others = std::log(std::max(split.weight[0], kMinAttention)) + attention_.log_sum;
  const float carrying = std::log(std::max(split.weight[1], kMinAttention)) + attention_.log_sum;
  const float advantage = attention_.logit[split.best[1]] - attention_.logit[split.best[0]];
  const int carriers_seen = std::popcount(carriers.words[0]) + std::popcount(carriers.words[1]);

  logit_[size_] = Logit(p);
  namespace row = allele_feature;
  const auto put = [&](size_t feature, float value) { inputs_[feature][size_] = value; };
  put(row::kLogit, logit_[size_] * (1 / kLogitUnit));
  put(row::kLogitFrequency, marker.logit_frequency);
  put(row::kBestAdvantage, Scaled(advantage));
  put(row::kSumAdvantage, Scaled(carrying - others));
  put(row::kCarriersSum, Scaled(carrying));
  put(row::kOthersSum, Scaled(others));
  put(row::kLogSquares, attention_.log_squares);
  put(row::kCarrierShare, static_cast<float>(carriers_seen) / static_cast<float>(attention_.count));
  put(row::kLogCarriers, marker.log_carriers);
  put(row::kLogNonCarriers, marker.log_non_carriers);
  for (size_t f = 0; f < kNumBestFeatures; ++f) {
    put(row::kBestCarrier + f, features_->values[kBestFeatures[f]][split.best[1]]);
    put(row::kBestOther + f, features_->values[kBestFeatures[f]][split.best[0]]);
  }
  put(row::kLogDistance, marker.log_distance);
  put(row::kRegressionLogit, Logit(std::clamp(regression, kMinRegression, 1 - kMinRegression)) * (1 / kLogitUnit));
  put(row::kRegressionR2, marker.regression_r2);
}

void CpuComputation::AddMarker(const MarkerFeatures& marker, float regression, const CandidateMask& carriers,
                               float* minor_probability) {
  FillColumn(marker, regression, carriers);
  results_[size_++] = minor_probability;
  if (size_ == kMlpWidth) Compute();
}

void CpuComputation::Compute() {
  if (size_ == 0) return;
  RunMlp(network_.allele, inputs_, size_, scratch_, correction_);
  Sigmoid(logit_, correction_, probability_);
  for (size_t k = 0; k < size_; ++k) *results_[k] = probability_[k];
  size_ = 0;
}

void CpuComputation::AddInterval(const CopyFeatures& features, size_t num_candidates) {
  features_ = &features;
  RunMlp(network_.copy, features.values, num_candidates, scratch_, attention_.logit);
  FinishAttention(features, network_.forward, network_.backward, num_candidates, attention_);
}

}  // namespace haplospin
