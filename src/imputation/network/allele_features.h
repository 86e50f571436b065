// What the network's second half sees of one untyped marker: the minor allele's carriers among the candidates against
// the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"
#include "imputation/copying/copy_candidates.h"
#include "imputation/copying/typed_panel.h"

namespace haplospin {

// Rows, scaled to about unit size. p is the attention on carriers.
// 0      logit p                       1     logit of the minor allele's frequency in the panel
// 2      best carrier's logit less best non-carrier's
// 3      log-sum-exp of carriers' logits less that of non-carriers'; 4, 5 the two alone
// 6      log of the attention's sum of squares
// 7      share of the candidates that carry the allele
// 8, 9   log of 1 + carriers and 1 + non-carriers in the panel
// 10-14  copy features 0, 6, 2, 8, 16 of the best carrier; 15-19 of the best non-carrier
// 20     log cM to the nearer typed marker
inline constexpr size_t kNumAlleleFeatures = 21;
inline constexpr size_t kBestFeatures[] = {0, 6, 2, 8, 16};

inline constexpr float kMinAlleleProbability = 1e-5f;  // bounds the logits

// The features of a marker that are the same for every target.
struct MarkerFeatures {
  float minor_frequency;
  float logit_frequency;   // row 1
  float log_carriers;      // row 8
  float log_non_carriers;  // row 9
  float log_distance;      // row 20
};
// `carriers` of the minor allele among `haplotypes`.
MarkerFeatures ComputeMarkerFeatures(size_t carriers, size_t haplotypes, double centimorgans_to_typed);

// cM from a panel marker to the nearer of the typed markers around its interval.
double CentimorgansToTyped(const HaplotypePanel& panel, size_t marker, const TypedPanel& array, size_t interval,
                           const GeneticMap& map);

}  // namespace haplospin
