#include "genotypes/variant_io/reading/common_marker_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

size_t CountCommon(const HaplotypePanel& panel) {
  size_t count = 0;
  for (size_t m = 0; m < panel.num_markers(); ++m) count += panel.is_rare(m) ? 0 : 1;
  return count;
}

TEST(CommonMarkerGroups, KeepTheAlleles) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 150, .markers = 700});
  const HaplotypePanel bits = MakePanel(mosaic, DiploidSamples("R", 75));
  MutablePanel grouped(MakePanel(mosaic, DiploidSamples("R", 75)));
  ASSERT_GT(CountCommon(bits), 300u);  // more than one group
  ASSERT_TRUE(GroupCommonMarkers(grouped, true));
  std::vector<uint64_t> expected(bits.words_per_marker()), found(bits.words_per_marker());
  for (size_t m = 0; m < bits.num_markers(); ++m) {
    EXPECT_FALSE(grouped.has_bits(m));
    bits.CopyBits(m, expected.data());
    grouped.CopyBits(m, found.data());
    ASSERT_EQ(found, expected) << m;
  }
}

TEST(CommonMarkerGroups, AreMadeOfEnoughMarkers) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 60, .markers = 100});
  MutablePanel panel(MakePanel(mosaic, DiploidSamples("R", 30)));
  EXPECT_FALSE(GroupCommonMarkers(panel, false));
  EXPECT_EQ(panel.first_ungrouped(), 0u);
  EXPECT_TRUE(GroupCommonMarkers(panel, true));
  EXPECT_EQ(panel.first_ungrouped(), panel.num_markers());
  EXPECT_TRUE(GroupCommonMarkers(panel, true));  // nothing is left to do

  MutablePanel large(MakePanel(SimulateMosaic({.haplotypes = 60, .markers = 1200}), DiploidSamples("R", 30)));
  ASSERT_GT(CountCommon(large), 512u);
  EXPECT_TRUE(GroupCommonMarkers(large, false));
}

}  // namespace
}  // namespace haplospin
