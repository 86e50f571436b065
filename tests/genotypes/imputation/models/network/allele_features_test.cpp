#include "genotypes/imputation/models/network/allele_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

TEST(MarkerFeatures, FollowCountsAndDistance) {
  const MarkerFeatures rare = ComputeMarkerFeatures(1, 2000, {0.01, 0.5f});
  const MarkerFeatures common = ComputeMarkerFeatures(600, 2000, {0.01, 0.5f});
  EXPECT_FLOAT_EQ(rare.minor_frequency, 0.0005f);
  EXPECT_FLOAT_EQ(common.minor_frequency, 0.3f);
  EXPECT_LT(rare.logit_frequency, common.logit_frequency);
  EXPECT_LT(rare.log_carriers, common.log_carriers);
  EXPECT_GT(rare.log_non_carriers, common.log_non_carriers);
  EXPECT_EQ(rare.log_distance, common.log_distance);
  EXPECT_GT(ComputeMarkerFeatures(1, 2000, {0.02, 0.5f}).log_distance, rare.log_distance);
}

// The bounds are markers whose allele nobody or everybody carries, at a distance of 0.
TEST(MarkerFeatures, AreFiniteAtTheBounds) {
  for (const size_t carriers : {0, 1, 2}) {
    const MarkerFeatures f = ComputeMarkerFeatures(carriers, 2, {0, 1});
    for (const float value :
         {f.minor_frequency, f.logit_frequency, f.log_carriers, f.log_non_carriers, f.log_distance}) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_LT(std::abs(value), 20);
    }
  }
}

TEST(FindPlace, DistanceToTheNearerTypedMarker) {
  const HaplotypePanel panel = HaploidPanelOf(SimulateMosaic({.haplotypes = 10, .markers = 100}));
  const std::vector<uint32_t> typed{20, 23, 60};
  const GeneticMap map = GeneticMap::Uniform();
  const TypedPanel typed_panel(panel, typed, map);
  for (size_t m = 0; m < 100; ++m) {
    const auto interval =
        static_cast<size_t>(std::ranges::lower_bound(typed, static_cast<uint32_t>(m)) - typed.begin());
    int64_t nearest = INT64_MAX;
    for (const uint32_t t : typed) {
      nearest = std::min(nearest, std::abs(panel.marker(m).position - panel.marker(t).position));
    }
    ASSERT_NEAR(FindPlace(panel, m, typed_panel, interval, map).centimorgans_to_typed,
                1e-6 * static_cast<double>(nearest), 1e-9)
        << m;
  }
}

// Typed markers 0.0015 cM apart share an anchor, those 0.1 cM apart do not.
TEST(FindPlace, IsInTheIntervalOfTheAnchor) {
  const HaplotypePanel panel = HaploidPanelOf(SimulateMosaic({.haplotypes = 10, .markers = 400, .spacing_bp = 500}));
  const std::vector<uint32_t> typed{100, 300, 303, 306};
  const GeneticMap map = GeneticMap::Uniform();
  const TypedPanel typed_panel(panel, typed, map);
  ASSERT_TRUE(typed_panel.is_anchor(1));
  ASSERT_EQ(typed_panel.anchor_of(2), typed_panel.anchor_of(3));
  const auto place = [&](size_t marker, size_t interval) {
    return FindPlace(panel, marker, typed_panel, interval, map).in_interval;
  };
  const auto at = [&](size_t marker) { return static_cast<double>(panel.marker(marker).position); };
  EXPECT_NEAR(place(150, 1), (at(150) - at(100)) / (at(300) - at(100)), 1e-5);
  EXPECT_EQ(place(300, 1), 1);
  EXPECT_EQ(place(50, 0), 0.5f);  // beyond the first typed marker, nothing is switched
  EXPECT_EQ(place(350, 4), 0.5f);
  const size_t other = typed_panel.is_anchor(2) ? 3 : 2;
  EXPECT_EQ(place(typed[other] - 1, other), other < typed_panel.anchor_of(other) ? 0 : 1);
}

class PanelFeaturesTest : public testing::Test {
 protected:
  PanelFeatures Compute(double map_factor, const PanelCopying& copying) const {
    const TypedPanel typed_panel(panel_, CommonMarkers(panel_, 3), GeneticMap::Uniform().Scaled(map_factor));
    return ComputePanelFeatures(typed_panel, copying);
  }

  const HaplotypePanel panel_ = MakePanel(SimulateMosaic({.haplotypes = 50, .markers = 200}), DiploidSamples("R", 25));
  const PanelCopying copying_ = {.last_round = {.switch_probability = {0.1f}}, .switches = 2, .mismatch_rate = 1e-3};
};

TEST_F(PanelFeaturesTest, AreDecades) {
  const PanelFeatures features = Compute(1, copying_);
  PanelCopying other = copying_;
  other.switches *= 10;
  other.mismatch_rate /= 10;
  const PanelFeatures changed = Compute(1, other);
  EXPECT_NEAR(changed[panel_feature::kLogSwitches], features[panel_feature::kLogSwitches] + 1, 1e-5);
  EXPECT_NEAR(changed[panel_feature::kLogSwitchesPerGap], features[panel_feature::kLogSwitchesPerGap] + 1, 1e-5);
  EXPECT_NEAR(changed[panel_feature::kLogMismatchRate], features[panel_feature::kLogMismatchRate] - 1, 1e-5);
  EXPECT_NEAR(features[panel_feature::kLogHaplotypes], std::log10(50.0 / 5000), 1e-5);
}

TEST_F(PanelFeaturesTest, ALongerMapHasFewerSwitchesPerMorganButNotPerGap) {
  const PanelFeatures features = Compute(1, copying_), longer = Compute(10, copying_);
  EXPECT_NEAR(longer[panel_feature::kLogSwitches], features[panel_feature::kLogSwitches] - 1, 1e-4);
  EXPECT_EQ(longer[panel_feature::kLogSwitchesPerGap], features[panel_feature::kLogSwitchesPerGap]);
}

TEST_F(PanelFeaturesTest, AreBounded) {
  PanelCopying extreme = copying_;
  extreme.switches = 1e30;
  extreme.mismatch_rate = 0;
  const PanelFeatures features = Compute(0, extreme);
  EXPECT_EQ(features[panel_feature::kLogSwitches], 2);
  EXPECT_EQ(features[panel_feature::kLogMismatchRate], -2);
}

TEST_F(PanelFeaturesTest, WithoutAnEstimateAreZero) { EXPECT_EQ(Compute(1, {}), PanelFeatures()); }

}  // namespace
}  // namespace haplospin
