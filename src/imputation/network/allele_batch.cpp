#include "imputation/network/allele_batch.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace haplospin {
namespace {

constexpr float kLogitScale = 1.0f / 3;
constexpr float kAttentionScale = 0.2f;
constexpr float kMaxLogit = 20;

float Bounded(float logit) { return std::clamp(logit, -kMaxLogit, kMaxLogit); }

}  // namespace

void AlleleBatch::FillColumn(const MarkerFeatures& marker, const CopyFeatures& copy, const CopyAttention& attention,
                             const CandidateMask& carriers, size_t num_candidates) {
  SplitAttention split;
  Split(attention, carriers, split);
  const float p = std::clamp((1 - panel_share_) * split.weight[1] + panel_share_ * marker.minor_frequency,
                             kMinAlleleProbability, 1 - kMinAlleleProbability);
  const float others = std::log(std::max(split.weight[0], 1e-20f)) + attention.log_sum;
  const float carrying = std::log(std::max(split.weight[1], 1e-20f)) + attention.log_sum;
  const float advantage = attention.logit[split.best[1]] - attention.logit[split.best[0]];
  const int carriers_seen = std::popcount(carriers.words[0]) + std::popcount(carriers.words[1]);

  logit_[size_] = std::log(p / (1 - p));
  float(*row)[kMlpWidth] = inputs_;
  const auto put = [&](float value) { (*row++)[size_] = value; };
  put(logit_[size_] * kLogitScale);
  put(marker.logit_frequency);
  put(Bounded(advantage) * kAttentionScale);
  put(Bounded(carrying - others) * kAttentionScale);
  put(Bounded(carrying) * kAttentionScale);
  put(Bounded(others) * kAttentionScale);
  put(attention.log_squares);
  put(static_cast<float>(carriers_seen) / static_cast<float>(num_candidates));
  put(marker.log_carriers);
  put(marker.log_non_carriers);
  for (int side : {1, 0}) {
    for (size_t f : kBestFeatures) put(copy.values[f][split.best[side]]);
  }
  put(marker.log_distance);
}

void AlleleBatch::Run() {
  RunMlp(network_, inputs_, scratch_, correction_);
  Sigmoid(logit_, correction_, probability_);
}

}  // namespace haplospin
