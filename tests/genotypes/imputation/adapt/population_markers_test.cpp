#include "genotypes/imputation/adapt/population_markers.h"

#include <gtest/gtest.h>

#include <vector>

namespace haplospin {
namespace {

// Markers at 1, 2, 3, ... of 20 people, of which every third tells populations: two carriers, one, half of all.
HaplotypePanel PanelWithMarkers(size_t num_markers) {
  std::vector<std::string> names;
  for (size_t s = 0; s < 20; ++s) names.push_back(std::to_string(s));
  HaplotypePanelBuilder builder("20", SampleTable::Diploid(names));
  std::vector<uint8_t> rare(40), unique(40), common(40);
  rare[3] = rare[7] = unique[5] = 1;
  for (size_t h = 0; h < 40; h += 2) common[h] = 1;
  for (size_t m = 0; m < num_markers; ++m) {
    builder.AddMarker({static_cast<int64_t>(m + 1), ".", "A", "C"}, m % 3 == 0 ? rare : m % 3 == 1 ? unique : common);
  }
  return builder.Build();
}

TEST(PopulationMarkers, KeepsRareAllelesThatAreShared) {
  const HaplotypePanel panel = PanelWithMarkers(30);
  PopulationMarkers markers(panel);
  markers.Add(panel, {0, 10});
  markers.Add(panel, {10, 30});
  ASSERT_EQ(markers.panel().num_markers(), 10u);
  for (size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(markers.panel().marker(k).position, static_cast<int64_t>(3 * k + 1));
    EXPECT_EQ(markers.panel().alt_count(k), 2u);
    EXPECT_EQ(markers.panel().allele(k, 7), 1);
  }
}

TEST(PopulationMarkers, ThinsThemEvenly) {
  constexpr size_t kMost = PanelPopulations::kMaxMarkers;
  const HaplotypePanel panel = PanelWithMarkers(3 * (4 * kMost + 8));
  PopulationMarkers markers(panel);
  markers.Add(panel, {0, panel.num_markers()});
  const HaplotypePanel& kept = markers.panel();  // every eighth
  ASSERT_EQ(kept.num_markers(), kMost / 2 + 1);
  for (size_t k = 0; k < kept.num_markers(); ++k) {
    ASSERT_EQ(kept.marker(k).position, static_cast<int64_t>(3 * 8 * k + 1)) << k;
  }
}

}  // namespace
}  // namespace haplospin
