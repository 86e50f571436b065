#include "imputation/network/panel_features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "imputation/mosaic_panel.h"
#include "imputation/network/imputer_weights.h"
#include "imputation/network/network_fixtures.h"

namespace haplospin {
namespace {

class PanelFeaturesTest : public testing::Test {
 protected:
  PanelFeatures Compute(double map_factor, const PanelCopying& copying) const {
    const TypedPanel array(panel_, CommonMarkers(panel_, 3), GeneticMap::Uniform().Scaled(map_factor));
    return ComputePanelFeatures(array, copying);
  }

  const HaplotypePanel panel_ = PanelOf(SimulateMosaic({.haplotypes = 50, .markers = 200}), DiploidSamples("R", 25));
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

TEST(ForPanel, AddsTheInputsOfThePanelToTheBias) {
  const MlpWeights mlp = RandomWeights(1).copy;
  const PanelFeatures panel = {0.5f, -1, 2, 0.25f};
  const MlpWeights result = ForPanel(mlp, panel);
  ASSERT_EQ(result.inputs + panel.size(), mlp.inputs);
  ASSERT_EQ(result.weight1.size(), result.hidden * result.inputs);
  for (size_t h = 0; h < mlp.hidden; ++h) {
    float bias = mlp.bias1[h];
    for (size_t k = 0; k < panel.size(); ++k) bias += mlp.weight1[h * mlp.inputs + result.inputs + k] * panel[k];
    EXPECT_FLOAT_EQ(result.bias1[h], bias);
    for (size_t i = 0; i < result.inputs; ++i) {
      EXPECT_EQ(result.weight1[h * result.inputs + i], mlp.weight1[h * mlp.inputs + i]);
    }
  }
  EXPECT_EQ(result.weight2, mlp.weight2);
}

}  // namespace
}  // namespace haplospin
