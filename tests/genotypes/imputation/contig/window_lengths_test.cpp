#include "genotypes/imputation/contig/window_lengths.h"

#include <gtest/gtest.h>

#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

TEST(WindowLengths, ArraysForPeopleHaveWindowsOf20Centimorgans) {
  for (const SiteDensity density : {SiteDensity{2000, 10}, SiteDensity{2000, 39}, SiteDensity{300, 1.5}}) {
    const WindowLengths lengths = ChooseWindowLengths({}, density);
    EXPECT_EQ(lengths.core, 20);
    EXPECT_EQ(lengths.flank, 2);
  }
}

// A chip with a marker in 2 cM.
TEST(WindowLengths, FewMarkersNeedLongWindows) {
  const WindowLengths lengths = ChooseWindowLengths({}, {51, 100});
  EXPECT_EQ(lengths.core, 1000);
  EXPECT_EQ(lengths.flank, 200);
}

TEST(WindowLengths, TheUserDecidesEach) {
  EXPECT_EQ(ChooseWindowLengths({.core = 5}, {51, 100}).core, 5);
  EXPECT_EQ(ChooseWindowLengths({.core = 5}, {51, 100}).flank, 200);
  EXPECT_EQ(ChooseWindowLengths({.flank = 0}, {51, 100}).flank, 0);
}

TEST(WindowLengths, NothingIsKnownOfAnEmptyContig) {
  EXPECT_EQ(ChooseWindowLengths({}, {}).core, 20);
  EXPECT_EQ(ChooseWindowLengths({}, {1, 0}).core, 20);
}

// Contigs that are skipped, a contig that the file does not have, and a contig that is asked for again.
TEST(WindowLengths, ADensityIsThatOfTheContigsRecords) {
  const TemporaryFolder folder;
  const Mosaic mosaic = SimulateMosaic({.haplotypes = 4, .markers = 101, .spacing_bp = 10'000});
  const SampleTable samples = DiploidSamples("S", 2);
  VcfText text(samples.names, {});
  for (const char* contig : {"1", "2", "4"}) AddMosaic(mosaic, samples, 0, AllMarkers(mosaic), contig, text);
  WriteVariants(folder / "study.vcf", text, FileForm::kVcf);
  StudyFile study(folder / "study.vcf", {});
  const GeneticMap map = GeneticMap::Uniform().Scaled(3);
  for (const char* contig : {"2", "2", "4"}) {
    const SiteDensity density = MeasureDensity(study, contig, map);
    EXPECT_EQ(density.sites, 101u);
    EXPECT_NEAR(density.centimorgans, 3, 1e-9);
  }
  EXPECT_EQ(MeasureDensity(study, "5", map).sites, 0u);
}

TEST(WindowLengths, APipeHasNoDensity) {
  StudyFile pipe("-", {});
  EXPECT_EQ(MeasureDensity(pipe, "1", GeneticMap::Uniform()).sites, 0u);
}

}  // namespace
}  // namespace haplospin
