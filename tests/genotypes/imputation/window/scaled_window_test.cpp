#include "genotypes/imputation/window/scaled_window.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Haplotypes of a mosaic, with a map of which a part is 100 cM or 1 cM.
class ScaledWindowTest : public testing::Test {
 protected:
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 100, .markers = 400});
  const HaplotypePanel panel_ = MakePanel(mosaic_, DiploidSamples("R", 50));
  const std::vector<uint32_t> typed_ = CommonMarkers(panel_, 2);
  const GeneticMap map_ = GeneticMap::Uniform();
};

TEST(DistanceScale, PanelsOfPeopleAreNotScaled) {
  EXPECT_EQ(DistanceScale(130), 1);
  EXPECT_EQ(DistanceScale(1000), 1);
  EXPECT_LT(DistanceScale(5), 0.2);
  EXPECT_GT(DistanceScale(5), DistanceScale(2));
  EXPECT_GT(DistanceScale(0), 0);
}

TEST_F(ScaledWindowTest, AWindowWithManySwitchesIsKept) {
  const PanelWindow window(panel_, map_, typed_, {0, 400});
  const ScaledWindow scaled(window);
  EXPECT_EQ(&scaled.window(), &window);
}

// On a longer map, haplotypes switch as seldom as in a herd. Distances become those of the panel's
// switches, whatever the unit of the map.
TEST_F(ScaledWindowTest, DistancesFollowTheSwitches) {
  const auto length = [](const PanelWindow& window) {
    const auto cm = window.typed_panel().centimorgans();
    return cm.back() - cm.front();
  };
  const GeneticMap longer = map_.Scaled(15), longest = map_.Scaled(30);
  const PanelWindow window(panel_, longer, typed_, {0, 400}), other(panel_, longest, typed_, {0, 400});
  const ScaledWindow scaled(window), other_scaled(other);
  EXPECT_LT(length(scaled.window()), 0.5 * length(window));
  EXPECT_NEAR(length(other_scaled.window()) / length(scaled.window()), 1, 0.3);
  EXPECT_EQ(scaled.window().typed_markers(), typed_);
  EXPECT_NE(scaled.estimates().populations, nullptr);
}

}  // namespace
}  // namespace haplospin
