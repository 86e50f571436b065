// Constants of the networks and their inputs, which the CPU's functions and the kernels of GPUs share. NVRTC compiles
// this header, too, so it includes nothing that the host alone has.
#pragma once

#include "genotypes/imputation/models/copying/copying_constants.h"

namespace haplospin {

// Factor of the copy network's output in the attention logit of a candidate.
inline constexpr float kCopyScale = 5;

// The copy features of the best candidates that the allele network sees again: the distances of the first and second
// mismatch on either side, and the sample's share.
inline constexpr size_t kBestFeatures[] = {copy_feature::kLeft, copy_feature::kRight, copy_feature::kLeft + 2,
                                           copy_feature::kRight + 2, copy_feature::kLogSampleShare};
inline constexpr size_t kNumBestFeatures = sizeof(kBestFeatures) / sizeof(kBestFeatures[0]);

// Rows, scaled to about unit size. p is a mean of the attention on carriers and of their frequency in the panel,
// weighted by 1 - PanelShare() and PanelShare().
namespace allele_feature {
enum Row : size_t {
  kLogit,           // logit of p
  kLogitFrequency,  // logit of the minor allele's frequency in the panel
  kBestAdvantage,   // attention logit of the best carrier minus that of the best non-carrier
  kSumAdvantage,    // log-sum-exp of the carriers' logits minus that of the non-carriers'
  kCarriersSum,     // log-sum-exp of the carriers' logits
  kOthersSum,       // log-sum-exp of the non-carriers' logits
  kLogSquares,      // log of the sum of squared attention weights
  kCarrierShare,    // share of carriers among the candidates
  kLogCarriers,     // log of 1 + carriers in the panel
  kLogNonCarriers,
  kBestCarrier,                                  // kBestFeatures of the best carrier
  kBestOther = kBestCarrier + kNumBestFeatures,  // kBestFeatures of the best non-carrier
  kLogDistance = kBestOther + kNumBestFeatures,  // log cM to the nearer typed marker
  kRegressionLogit,                              // logit of WindowRegression::Predict()
  kRegressionR2,                                 // WindowRegression::r2()
  kCount
};
}  // namespace allele_feature
inline constexpr size_t kNumAlleleFeatures = allele_feature::kCount;

// Divisors of the rows, shared by training and serving.
inline constexpr float kLogitUnit = 3;      // divisor of kLogit, kLogitFrequency and kRegressionLogit
inline constexpr float kAttentionUnit = 5;  // divisor of kBestAdvantage to kOthersSum

// Bounds of the values before they are divided or become logits.
inline constexpr float kMaxLogit = 20;          // largest absolute value of kBestAdvantage to kOthersSum
inline constexpr float kMinAttention = 1e-20f;  // smallest sum of the attention on carriers or non-carriers
inline constexpr float kMinAlleleProbability = 1e-5f;
inline constexpr float kMinRegression = 1e-3f;  // regression predicts values below 0 and above 1, too

}  // namespace haplospin
