#include "genotypes/imputation/contig/memory_source.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

class MemorySourceTest : public testing::Test {
 protected:
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 200, .markers = 300});
  const HaplotypePanel panel_ = MakePanel(mosaic_, DiploidSamples("R", 100));
};

// Rare and common markers come in any number of pieces.
TEST_F(MemorySourceTest, APanelIsReadInPieces) {
  MemoryPanel source(panel_);
  MutablePanel copy = source.StartContig();
  const int64_t middle = panel_.marker(120).position;
  EXPECT_TRUE(source.ReadUntil(middle, copy));
  EXPECT_EQ(copy.num_markers(), FirstMarkerAtOrAfter(panel_, middle + 1));
  EXPECT_EQ(source.NextPosition(), panel_.marker(copy.num_markers()).position);
  EXPECT_FALSE(source.ReadUntil(INT64_MAX, copy));
  EXPECT_EQ(source.NextPosition(), std::nullopt);
  ASSERT_EQ(copy.num_markers(), panel_.num_markers());
  size_t rare = 0;
  for (size_t m = 0; m < copy.num_markers(); ++m) {
    rare += panel_.is_rare(m) ? 1 : 0;
    ASSERT_EQ(copy.marker(m).position, panel_.marker(m).position);
    ASSERT_EQ(copy.alt_count(m), panel_.alt_count(m));
    for (size_t h = 0; h < 200; ++h) ASSERT_EQ(copy.allele(m, h), panel_.allele(m, h)) << m << " " << h;
  }
  EXPECT_GT(rare, 0u);
  EXPECT_LT(rare, copy.num_markers());
}

TEST_F(MemorySourceTest, SeekGoesToTheFirstMarkerOfTheRegion) {
  MemoryPanel source(panel_);
  source.Seek({panel_.contig(), panel_.marker(50).position, INT64_MAX});
  EXPECT_EQ(source.NextPosition(), panel_.marker(50).position);
  source.Seek({panel_.contig(), panel_.marker(299).position + 1, INT64_MAX});
  EXPECT_EQ(source.NextPosition(), std::nullopt);
}

}  // namespace
}  // namespace haplospin
