#include "genotypes/imputation/checks/map_comparison.h"

#include <gtest/gtest.h>

#include "genotypes/imputation/hotspot_panel.h"

namespace haplospin {
namespace {

constexpr size_t kHaplotypes = 200;

GeneticMap MapOf(const HotspotPanel& panel, int64_t shift) {
  std::vector<int64_t> positions;
  std::vector<double> centimorgans;
  for (const auto& [position, length] : panel.Map(shift)) {
    positions.push_back(position);
    centimorgans.push_back(length);
  }
  return {std::move(positions), std::move(centimorgans)};
}

class MapComparisonTest : public testing::Test {
 protected:
  MapComparisonTest() { comparison_.Add(genotypes_); }

  const HotspotPanel panel_{kHaplotypes, 1};
  const HaplotypePanel genotypes_ = MakePanel(panel_.mosaic, DiploidSamples("P", kHaplotypes / 2));
  MapComparison comparison_;
};

TEST_F(MapComparisonTest, TellsHowFarTheMapIsShifted) {
  for (const int64_t shift : {70'000, -70'000, 200'000, 20'000}) {
    EXPECT_EQ(comparison_.FindShift(MapOf(panel_, shift)).distance, shift);
  }
}

TEST_F(MapComparisonTest, SaysNothingOfTheRightMapNorOfAnUnknownOne) {
  EXPECT_EQ(comparison_.FindShift(MapOf(panel_, 0)).distance, 0);
  EXPECT_EQ(comparison_.FindShift(GeneticMap::Uniform()).distance, 0);
  for (uint64_t seed = 2; seed < 12; ++seed) {
    EXPECT_EQ(comparison_.FindShift(MapOf(HotspotPanel(1, seed), 0)).distance, 0) << "a map of another region";
  }
}

TEST_F(MapComparisonTest, MarkersCountOnce) {
  const MapComparison::Shift expected = comparison_.FindShift(MapOf(panel_, 70'000));
  comparison_.Add(genotypes_);
  EXPECT_EQ(comparison_.FindShift(MapOf(panel_, 70'000)).correlation_shifted, expected.correlation_shifted);
}

}  // namespace
}  // namespace haplospin
