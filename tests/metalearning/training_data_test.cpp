#include "haplospin/metalearning/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "haplospin/core/errors.h"
#include "imputation/mosaic_panel.h"

namespace haplospin {
namespace {

TEST(TrainingDataTest, ParsesASource) {
  const TrainingSource source = ParseTrainingSource("panel=p.bcf,sites=a.txt,map=m.txt,sites=b.txt");
  EXPECT_EQ(source.panel, "p.bcf");
  EXPECT_EQ(source.map, "m.txt");
  EXPECT_THAT(source.arrays, testing::ElementsAre("a.txt", "b.txt"));
  EXPECT_TRUE(ParseTrainingSource("panel=p.bcf").map.empty());
}

TEST(TrainingDataTest, RefusesWhatIsNoSource) {
  for (const char* text :
       {"", "p.bcf", "panel=", "map=m.txt", "panel=p,panel=q", "panel=p,array=a", "panel=p,,sites=a"}) {
    EXPECT_THROW(ParseTrainingSource(text), InputError) << text;
  }
}

TEST(TrainingDataTest, SubPanelKeepsPeopleAndWhatDiffersAmongThem) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 60, .markers = 100});
  const HaplotypePanel panel = PanelOf(mosaic, DiploidSamples("R", 30));
  const std::vector<uint32_t> kept = {3, 4, 17};
  const HaplotypePanel sub = SubPanel(panel, kept, 10, 90);
  EXPECT_THAT(sub.samples().names, testing::ElementsAre("R3", "R4", "R17"));
  const std::vector<size_t> haplotypes = {6, 7, 8, 9, 34, 35};
  size_t at = 0;
  for (size_t m = 10; m < 90; ++m) {
    size_t alt = 0;
    for (size_t h : haplotypes) alt += mosaic.alleles[h][m];
    if (alt == 0 || alt == haplotypes.size()) continue;
    ASSERT_LT(at, sub.num_markers());
    EXPECT_EQ(sub.marker(at).position, mosaic.markers[m].position);
    for (size_t k = 0; k < haplotypes.size(); ++k) EXPECT_EQ(sub.allele(at, k), mosaic.alleles[haplotypes[k]][m]);
    ++at;
  }
  EXPECT_EQ(at, sub.num_markers());
}

}  // namespace
}  // namespace haplospin
