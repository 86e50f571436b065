// The inputs of the allele network for one untyped marker: the candidates that carry the minor allele compared with the
// others.
#pragma once

#include <cstddef>
#include <iterator>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/copying/match_features.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// The copy features that are looked at again: the first and second mismatch on either side, and the sample's share.
inline constexpr size_t kBestFeatures[] = {copy_feature::kLeft, copy_feature::kRight, copy_feature::kLeft + 2,
                                           copy_feature::kRight + 2, copy_feature::kLogSampleShare};
inline constexpr size_t kNumBestFeatures = std::size(kBestFeatures);

// Rows, scaled to about unit size. p is the attention on carriers, with the panel's share of their frequency.
namespace allele_feature {
enum Row : size_t {
  kLogit,           // of p
  kLogitFrequency,  // logit of the minor allele's frequency in the panel
  kBestAdvantage,   // best carrier's logit minus best non-carrier's
  kSumAdvantage,    // log-sum-exp of the carriers' logits minus that of the non-carriers'
  kCarriersSum,     // the two alone
  kOthersSum,
  kLogSquares,    // log of the attention's sum of squares
  kCarrierShare,  // of the candidates
  kLogCarriers,   // log of 1 + carriers in the panel
  kLogNonCarriers,
  kBestCarrier,                                  // its kBestFeatures
  kBestOther = kBestCarrier + kNumBestFeatures,  // the same of the best non-carrier
  kLogDistance = kBestOther + kNumBestFeatures,  // log cM to the nearer typed marker
  kRegressionLogit,                              // of the probability by regression on typed markers
  kRegressionR2,                                 // of that regression
  kCount
};
}  // namespace allele_feature
inline constexpr size_t kNumAlleleFeatures = allele_feature::kCount;

// Divisors of the rows, shared by training and serving.
inline constexpr float kLogitUnit = 3;      // of kLogit and kLogitFrequency
inline constexpr float kAttentionUnit = 5;  // of kBestAdvantage to kOthersSum

// Bounds: of the rows kBestAdvantage to kOthersSum before they are divided, of a side's attention, and of probabilities
// that become logits. A regression predicts less than 0 and more than 1, too.
inline constexpr float kMaxLogit = 20;
inline constexpr float kMinAttention = 1e-20f;
inline constexpr float kMinAlleleProbability = 1e-5f;
inline constexpr float kMinRegression = 1e-3f;

// The logit of a slot without a candidate.
inline constexpr float kUnusedLogit = -1e30f;

// The features of a marker that are the same for every target.
struct MarkerFeatures {
  float minor_frequency;
  float logit_frequency;  // this to log_distance: rows of the same names
  float log_carriers;
  float log_non_carriers;
  float log_distance;
  float in_interval;        // of MarkerPlace
  float regression_r2 = 0;  // of WindowRegression
};

// Where a panel marker lies in an interval.
struct MarkerPlace {
  double centimorgans_to_typed;  // to the nearer of the typed markers around it
  float in_interval;             // whose attention it has: 0 at the left end, 1 at the right, by genetic distance
};
MarkerPlace PlaceOf(const HaplotypePanel& panel, size_t marker, const TypedPanel& array, size_t interval,
                    const GeneticMap& map);

// `carriers` of the minor allele among `haplotypes`.
MarkerFeatures ComputeMarkerFeatures(size_t carriers, size_t haplotypes, const MarkerPlace& place);

}  // namespace haplospin
