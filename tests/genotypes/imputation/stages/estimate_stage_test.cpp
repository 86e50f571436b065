#include "genotypes/imputation/stages/estimate_stage.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Haplotypes of a mosaic, with a map of which a part is 100 cM or 1 cM.
class ScaleStageTest : public testing::Test {
 protected:
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 100, .markers = 400});
  const HaplotypePanel panel_ = MakePanel(mosaic_, DiploidSamples("R", 50));
  const std::vector<uint32_t> typed_ = CommonMarkers(panel_, 2);
  const GeneticMap map_ = GeneticMap::Uniform();
  const SampleTable nobody_ = DiploidSamples("S", 0);
  const WindowStudy study_{nobody_, {}};

  // Returns the window once rates are estimated and distances are in proportion.
  WindowState Find(const PanelWindow& window) const {
    WindowState state(window, study_, {0, 400});
    EstimateStage(EstimateStage::Search::kOwn).Run(state);
    if (ScaleStage().Applies(state)) ScaleStage().Run(state);
    return state;
  }
};

TEST(DistanceScale, PanelsOfPeopleAreNotScaled) {
  EXPECT_EQ(DistanceScale(130, 1), 1);
  EXPECT_EQ(DistanceScale(10, 0.01), 1);
  EXPECT_LT(DistanceScale(5, 1), 0.2);
  EXPECT_GT(DistanceScale(5, 1), DistanceScale(2, 1));
  EXPECT_GT(DistanceScale(0, 1), 0);
}

TEST(DistanceScale, HaplotypesThatAreSharedOverAShortWindowTellNothing) {
  EXPECT_EQ(DistanceScale(0.001, 0.0004), 1);
  EXPECT_LT(DistanceScale(0.16, 0.006), 1);
}

TEST_F(ScaleStageTest, AWindowWithManySwitchesIsKept) {
  const PanelWindow window(panel_, map_, typed_, {0, 400});
  const WindowState state = Find(window);
  EXPECT_EQ(&state.copied(), &window);
  EXPECT_FALSE(state.is_scaled());
}

// On a longer map, haplotypes switch as seldom as in a herd. Distances become those of the panel's
// switches, whatever the unit of the map.
TEST_F(ScaleStageTest, DistancesFollowTheSwitches) {
  const auto length = [](const PanelWindow& window) {
    const auto cm = window.typed_panel().centimorgans();
    return cm.back() - cm.front();
  };
  const GeneticMap longer = map_.Scaled(15), longest = map_.Scaled(30);
  const PanelWindow window(panel_, longer, typed_, {0, 400}), other(panel_, longest, typed_, {0, 400});
  const WindowState scaled = Find(window), other_scaled = Find(other);
  EXPECT_TRUE(scaled.is_scaled());
  EXPECT_LT(length(scaled.copied()), 0.5 * length(window));
  EXPECT_NEAR(length(other_scaled.copied()) / length(scaled.copied()), 1, 0.3);
  EXPECT_EQ(scaled.copied().typed_markers(), typed_);
  EXPECT_NE(scaled.estimates->populations, nullptr);
}

// What an adapted panel tells is not estimated again; and a small panel is always searched by itself.
TEST_F(ScaleStageTest, EstimatesAreMadeOnce) {
  const PanelWindow window(panel_, map_, typed_, {0, 400});
  WindowState state(window, study_, {0, 400});
  EXPECT_FALSE(ScaleStage().Applies(state));
  for (const auto search : {EstimateStage::Search::kOwn, EstimateStage::Search::kWithStudy}) {
    EXPECT_TRUE(EstimateStage(search).Applies(state));
  }
  state.estimates = EstimatePanel(window);
  EXPECT_FALSE(EstimateStage(EstimateStage::Search::kOwn).Applies(state));
}

}  // namespace
}  // namespace haplospin
