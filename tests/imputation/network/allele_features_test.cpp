#include "imputation/network/allele_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

TEST(MarkerFeatures, FollowCountsAndDistance) {
  const MarkerFeatures rare = ComputeMarkerFeatures(1, 2000, 0.01);
  const MarkerFeatures common = ComputeMarkerFeatures(600, 2000, 0.01);
  EXPECT_FLOAT_EQ(rare.minor_frequency, 0.0005f);
  EXPECT_FLOAT_EQ(common.minor_frequency, 0.3f);
  EXPECT_LT(rare.logit_frequency, common.logit_frequency);
  EXPECT_LT(rare.log_carriers, common.log_carriers);
  EXPECT_GT(rare.log_non_carriers, common.log_non_carriers);
  EXPECT_EQ(rare.log_distance, common.log_distance);
  EXPECT_GT(ComputeMarkerFeatures(1, 2000, 0.02).log_distance, rare.log_distance);
}

// At their bounds: nobody or everybody carries the allele, and the marker is typed.
TEST(MarkerFeatures, AreFiniteAtTheBounds) {
  for (const size_t carriers : {0, 1, 2}) {
    const MarkerFeatures f = ComputeMarkerFeatures(carriers, 2, 0);
    for (const float value :
         {f.minor_frequency, f.logit_frequency, f.log_carriers, f.log_non_carriers, f.log_distance}) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_LT(std::abs(value), 20);
    }
  }
}

TEST(MarkerFeatures, DistanceToTheNearerTypedMarker) {
  const HaplotypePanel panel = HaploidPanelOf(SimulateMosaic({.haplotypes = 10, .markers = 100}));
  const std::vector<uint32_t> typed{20, 23, 60};
  const GeneticMap map = GeneticMap::Uniform();
  const TypedPanel array(panel, typed, map);
  for (size_t m = 0; m < 100; ++m) {
    const auto interval =
        static_cast<size_t>(std::ranges::lower_bound(typed, static_cast<uint32_t>(m)) - typed.begin());
    int64_t nearest = INT64_MAX;
    for (const uint32_t t : typed) {
      nearest = std::min(nearest, std::abs(panel.marker(m).position - panel.marker(t).position));
    }
    ASSERT_NEAR(CentimorgansToTyped(panel, m, array, interval, map), 1e-6 * static_cast<double>(nearest), 1e-9) << m;
  }
}

}  // namespace
}  // namespace haplospin
