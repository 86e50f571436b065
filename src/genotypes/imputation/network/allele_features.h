// The inputs of the allele network for one untyped marker, which compare the candidates that carry the minor allele
// with the others, and the features of the panel, which are inputs of the copy network, too.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "genotypes/imputation/copying/copying_model.h"
#include "genotypes/imputation/copying/match_features.h"
#include "genotypes/imputation/copying/typed_panel.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

// The copy features of the best candidates that the allele network sees again: the distances of the first and second
// mismatch on either side, and the sample's share.
inline constexpr size_t kBestFeatures[] = {copy_feature::kLeft, copy_feature::kRight, copy_feature::kLeft + 2,
                                           copy_feature::kRight + 2, copy_feature::kLogSampleShare};
inline constexpr size_t kNumBestFeatures = std::size(kBestFeatures);

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

// Attention logit of a slot without a candidate.
inline constexpr float kUnusedLogit = -1e30f;

// The features of a marker that are the same for every target.
struct MarkerFeatures {
  float minor_frequency;
  float logit_frequency;    // allele_feature::kLogitFrequency
  float log_carriers;       // allele_feature::kLogCarriers
  float log_non_carriers;   // allele_feature::kLogNonCarriers
  float log_distance;       // allele_feature::kLogDistance
  float in_interval;        // MarkerPlace::in_interval
  float regression_r2 = 0;  // WindowRegression::r2()
};

// The place of a panel marker in the interval between two typed markers.
struct MarkerPlace {
  double centimorgans_to_typed;  // distance to the nearer of the typed markers around it
  float in_interval;             // 0 at the left end of its anchor, 1 at the right end, by genetic distance
};
MarkerPlace PlaceOf(const HaplotypePanel& panel, size_t marker, const TypedPanel& typed_panel, size_t interval,
                    const GeneticMap& map);

// Computes the features of a marker whose minor allele has so many carriers among so many haplotypes.
MarkerFeatures ComputeMarkerFeatures(size_t carriers, size_t haplotypes, const MarkerPlace& place);

// Features of a window's panel as a whole, which are inputs of both networks: how far its haplotypes are shared,
// compared with genetic distance and with the distance of the typed markers, how few errors it has, and its size. A
// large panel of humans, a few animals of one breed and inbred lines need different weights; with these features one
// network has them. Logarithms to base 10, relative to typical values of human panels.
namespace panel_feature {
enum Row : size_t {
  kLogSwitches,        // expected switches per Morgan
  kLogSwitchesPerGap,  // expected switches between adjacent typed markers
  kLogMismatchRate,
  kLogHaplotypes,
  kCount
};
}  // namespace panel_feature
inline constexpr size_t kNumPanelFeatures = panel_feature::kCount;

using PanelFeatures = std::array<float, kNumPanelFeatures>;

// Computes the features of the panel from its copying. All are 0 if `copying` had no expectation step.
PanelFeatures ComputePanelFeatures(const TypedPanel& panel, const PanelCopying& copying);

}  // namespace haplospin
