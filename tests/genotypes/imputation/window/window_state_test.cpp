#include "genotypes/imputation/window/window_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "genotypes/genomics/mutable_panel.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

using testing::ElementsAre;

class WindowStateTest : public testing::Test {
 protected:
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 20, .markers = 40});
  const HaplotypePanel panel_ = MakePanel(mosaic_, DiploidSamples("R", 10));
  const GeneticMap map_ = GeneticMap::Uniform();
  const PanelWindow window_{panel_, map_, {3, 8, 12, 30}, {5, 10}};
  const SampleTable samples_ = DiploidSamples("S", 1);
  const WindowStudy study_{samples_, {}};
  WindowState state_{window_, study_, {2, 20}};
};

TEST_F(WindowStateTest, DistancesAreScaledOnceAndTheCoreIsFound) {
  EXPECT_EQ(&state_.copied(), &window_);
  EXPECT_EQ(state_.found(), window_.wanted());
  state_.Scale(0.5);
  EXPECT_TRUE(state_.is_scaled());
  state_.FindCore();
  EXPECT_EQ(state_.found(), state_.core);
  EXPECT_EQ(state_.copied().typed_markers(), window_.typed_markers());
  EXPECT_NEAR(state_.copied().map().Centimorgans(2'000'000), map_.Centimorgans(2'000'000) / 2, 1e-9);
}

TEST_F(WindowStateTest, AnotherStudyHasTheSamePanel) {
  state_.Scale(0.5);
  state_.FindCore();
  state_.estimates = EstimatePanel(window_);
  const SampleTable others = DiploidSamples("T", 2);
  const WindowStudy study(others, {});
  const WindowState other = state_.Of(study);
  EXPECT_EQ(&other.copied(), &state_.copied());
  EXPECT_EQ(other.found(), state_.core);
  EXPECT_TRUE(other.is_scaled());
  EXPECT_TRUE(other.estimates.has_value());
  EXPECT_FALSE(other.dosages.has_value());
}

TEST_F(WindowStateTest, TheWantedMarkersAreLeft) {
  state_.FindCore();
  TypedProbabilities typed({3, 8, 12}, 2);
  typed.phase.emplace(1, 3);
  WindowDosages& dosages = state_.dosages.emplace(state_.core, 2, std::move(typed));
  for (size_t m = 2; m < 20; ++m) dosages.Set(1, m, static_cast<double>(m) / 32);
  dosages.typed->left_out.Set(0, 1, 0.25);
  dosages.typed->phase->Set(0, 1, 0.75);
  state_.KeepWanted();
  EXPECT_EQ(state_.dosages->range, window_.wanted());
  for (size_t m = 5; m < 10; ++m) EXPECT_NEAR(state_.dosages->Get(1, m), static_cast<double>(m) / 32, 1e-4);
  EXPECT_THAT(state_.dosages->typed->markers, ElementsAre(8));
  EXPECT_NEAR(state_.dosages->typed->left_out.Get(0, 0), 0.25, 1e-4);
  EXPECT_NEAR(state_.dosages->typed->phase->Get(0, 0), 0.75, 1e-4);
}

}  // namespace
}  // namespace haplospin
