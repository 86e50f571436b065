#include "learning/imputer_training/training_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

TEST(TrainingSource, ReadsItsParts) {
  const TrainingSource panel = ParseTrainingSource("panel=a.bcf");
  EXPECT_EQ(panel.panel, "a.bcf");
  EXPECT_EQ(panel.map, "");
  EXPECT_TRUE(panel.arrays.empty());
  const TrainingSource all = ParseTrainingSource("sites=x.txt,map=m=1.map,panel=dir/a.bcf,sites=y.txt");
  EXPECT_EQ(all.panel, "dir/a.bcf");
  EXPECT_EQ(all.map, "m=1.map");
  EXPECT_EQ(all.arrays, (std::vector<std::string>{"x.txt", "y.txt"}));
}

TEST(TrainingSource, AnythingElseIsAnError) {
  for (const std::string text :
       {"", ",", "a.bcf", "panel=", "panel", "panel=a.bcf,", "panel=a.bcf,,map=m", "panel=a.bcf,panel=b.bcf",
        "panel=a,map=m,map=n", "panel=a,array=b", "panel=a,sites="}) {
    const std::string message = ErrorOf([&] { ParseTrainingSource(text); });
    EXPECT_THAT(message, HasSubstr("train: --data is '" + text + "', but must be panel=FILE")) << text;
  }
  EXPECT_THAT(ErrorOf([] { ParseTrainingSource("map=m"); }), HasSubstr("needs panel=FILE"));
}

TEST(SubPanel, HasTheSamplesAndTheMarkersAtWhichTheyDiffer) {
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 150, .markers = 200});
  const SampleTable all = MakeSamples("R", [] {
    std::vector<int> ploidies(100, 2);
    for (size_t s = 0; s < 100; s += 2) ploidies[s] = 1;
    return ploidies;
  }());
  const HaplotypePanel panel = MakePanel(mosaic, all);
  const std::vector<uint32_t> samples{1, 2, 40, 77, 99};
  const HaplotypePanel sub = SubPanel(panel, samples, 20, 190);
  ASSERT_EQ(sub.samples().num_samples(), samples.size());
  std::vector<size_t> haplotypes;
  for (size_t k = 0; k < samples.size(); ++k) {
    EXPECT_EQ(sub.samples().names[k], all.names[samples[k]]);
    EXPECT_EQ(sub.samples().ploidy(k), all.ploidy(samples[k]));
    for (uint32_t h = all.first_haplotype[samples[k]]; h < all.first_haplotype[samples[k] + 1]; ++h) {
      haplotypes.push_back(h);
    }
  }
  ASSERT_EQ(sub.num_haplotypes(), haplotypes.size());
  size_t next = 0;
  for (size_t m = 20; m < 190; ++m) {
    size_t alt = 0;
    for (const size_t h : haplotypes) alt += mosaic.alleles[h][m];
    if (alt == 0 || alt == haplotypes.size()) continue;
    ASSERT_LT(next, sub.num_markers());
    ASSERT_EQ(sub.marker(next).position, mosaic.markers[m].position);
    for (size_t k = 0; k < haplotypes.size(); ++k) ASSERT_EQ(sub.allele(next, k), mosaic.alleles[haplotypes[k]][m]);
    ++next;
  }
  EXPECT_EQ(sub.num_markers(), next);
  EXPECT_GT(next, 20u);
}

class LoadTrainingPanelTest : public testing::Test {
 protected:
  LoadTrainingPanelTest() {
    WriteVariants(path_, MosaicVcf(mosaic_, samples_, 0, AllMarkers(mosaic_)), FileForm::kBcf);
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_ / "panel.bcf";
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 20, .markers = 120});
  const SampleTable samples_ = DiploidSamples("R", 10);
};

TEST_F(LoadTrainingPanelTest, LeavesOutTheExcluded) {
  const TrainingPanel all = LoadTrainingPanel({path_, "", {}}, {});
  EXPECT_EQ(all.panel.num_haplotypes(), 20u);
  EXPECT_EQ(all.panel.num_markers(), 120u);
  EXPECT_TRUE(all.arrays.empty());
  const TrainingPanel some = LoadTrainingPanel({path_, "", {}}, {"R3", "R9", "nobody"});
  EXPECT_EQ(some.panel.samples().names, (std::vector<std::string>{"R0", "R1", "R2", "R4", "R5", "R6", "R7", "R8"}));
}

TEST_F(LoadTrainingPanelTest, ReadsMapAndSites) {
  WriteFile(folder_ / "map", "20 . 0 1\n20 . 50 1000000\n");
  std::string sites;
  for (size_t m = 0; m < 40; m += 2) sites += fmt::format("20 {}\n", mosaic_.markers[m].position);
  WriteFile(folder_ / "sites", sites);
  const TrainingPanel training = LoadTrainingPanel({path_, folder_ / "map", {folder_ / "sites"}}, {});
  EXPECT_NEAR(training.map.Centimorgans(500'000), 25, 0.1);
  ASSERT_EQ(training.arrays.size(), 1u);
  EXPECT_TRUE(training.arrays[0].Contains("20", mosaic_.markers[2].position));
  EXPECT_FALSE(training.arrays[0].Contains("20", mosaic_.markers[3].position));
}

TEST_F(LoadTrainingPanelTest, FilesThatDoNotServe) {
  const auto error = [](const TrainingSource& source, const std::unordered_set<std::string>& excluded = {}) {
    return ErrorOf([&] { LoadTrainingPanel(source, excluded); });
  };
  EXPECT_THAT(error({folder_ / "absent", "", {}}), HasSubstr("absent: cannot open"));
  EXPECT_THAT(error({path_, folder_ / "absent", {}}), HasSubstr("absent: cannot open"));
  EXPECT_THAT(error({path_, "", {folder_ / "absent"}}), HasSubstr("absent: cannot open"));
  std::unordered_set<std::string> nearly_all;
  for (size_t s = 1; s < 10; ++s) nearly_all.insert(samples_.names[s]);
  EXPECT_THAT(error({path_, "", {}}, nearly_all), HasSubstr(path_ + ": fewer than 2 samples are left"));
}

// Too few markers to type some and impute others.
TEST_F(LoadTrainingPanelTest, APanelTooSmallToTrainOn) {
  WriteVariants(path_, MosaicVcf(mosaic_, samples_, 0, std::vector<uint32_t>{3, 4, 9}), FileForm::kBcf);
  EXPECT_THAT(ErrorOf([&] {
                LoadTrainingPanel({path_, "", {}}, {});
              }),
              HasSubstr(path_ + ": has 3 polymorphic markers"));
}

// A list without sites in the panel must not be ignored silently.
TEST_F(LoadTrainingPanelTest, SitesThatThePanelLacks) {
  WriteFile(folder_ / "sites", "7 5000\n20 5001\n");
  EXPECT_THAT(ErrorOf([&] {
                LoadTrainingPanel({path_, "", {folder_ / "sites"}}, {});
              }),
              HasSubstr("sites: 0 of its sites are in " + path_));
}

}  // namespace
}  // namespace haplospin
