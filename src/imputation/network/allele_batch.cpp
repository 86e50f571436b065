#include "imputation/network/allele_batch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace haplospin {
namespace {

float Scaled(float logit) { return std::clamp(logit, -kMaxLogit, kMaxLogit) * (1 / kAttentionUnit); }

float Logit(float p) { return std::log(p / (1 - p)); }

}  // namespace

void AlleleBatch::FillColumn(const MarkerFeatures& marker, float regression, const CopyFeatures& copy,
                             const CopyAttention& attention, const CandidateMask& carriers) {
  SplitAttention split;
  Split(attention, marker.in_interval, carriers, split);
  const float p = std::clamp((1 - panel_share_) * split.weight[1] + panel_share_ * marker.minor_frequency,
                             kMinAlleleProbability, 1 - kMinAlleleProbability);
  const float others = std::log(std::max(split.weight[0], kMinAttention)) + attention.log_sum;
  const float carrying = std::log(std::max(split.weight[1], kMinAttention)) + attention.log_sum;
  const float advantage = attention.logit[split.best[1]] - attention.logit[split.best[0]];
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
  put(row::kLogSquares, attention.log_squares);
  put(row::kCarrierShare, static_cast<float>(carriers_seen) / static_cast<float>(attention.count));
  put(row::kLogCarriers, marker.log_carriers);
  put(row::kLogNonCarriers, marker.log_non_carriers);
  for (size_t f = 0; f < kNumBestFeatures; ++f) {
    put(row::kBestCarrier + f, copy.values[kBestFeatures[f]][split.best[1]]);
    put(row::kBestOther + f, copy.values[kBestFeatures[f]][split.best[0]]);
  }
  put(row::kLogDistance, marker.log_distance);
  put(row::kRegressionLogit, Logit(std::clamp(regression, kMinRegression, 1 - kMinRegression)) * (1 / kLogitUnit));
  put(row::kRegressionR2, marker.regression_r2);
}

void AlleleBatch::Add(const MarkerFeatures& marker, float regression, const CopyFeatures& copy,
                      const CopyAttention& attention, const CandidateMask& carriers, float* minor_probability) {
  FillColumn(marker, regression, copy, attention, carriers);
  results_[size_++] = minor_probability;
  if (size_ == kMlpWidth) Flush();
}

void AlleleBatch::Flush() {
  if (size_ == 0) return;
  RunMlp(network_, inputs_, size_, scratch_, correction_);
  Sigmoid(logit_, correction_, probability_);
  for (size_t k = 0; k < size_; ++k) *results_[k] = probability_[k];
  size_ = 0;
}

}  // namespace haplospin
