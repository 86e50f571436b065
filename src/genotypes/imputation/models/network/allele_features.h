// The inputs of the allele network for one untyped marker, which compare the candidates that carry the minor allele
// with the others, and the features of the panel, which are inputs of the copy network, too.
#pragma once

#include <array>
#include <cstddef>

#include "genotypes/imputation/models/copying/copying_model.h"
#include "genotypes/imputation/models/copying/typed_panel.h"
#include "genotypes/imputation/models/network/network_constants.h"
#include "haplospin/genetic_map.h"
#include "haplospin/haplotype_panel.h"

namespace haplospin {

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
MarkerPlace FindPlace(const HaplotypePanel& panel, size_t marker, const TypedPanel& typed_panel, size_t interval,
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
