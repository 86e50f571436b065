#include "genotypes/imputation/contig/panel_fit.h"

#include <gtest/gtest.h>

#include <span>

#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"

namespace haplospin {
namespace {

// Markers on both sides of the end of a pseudo-autosomal region.
class PanelFitPartsTest : public testing::Test {
 protected:
  void Write(std::span<const uint32_t> of_panel) const {
    WriteVariants(options_.panel, MosaicVcf(mosaic_, DiploidSamples("R", 50), 0, of_panel, "X"), FileForm::kBgzip);
    WriteVariants(options_.study, MosaicVcf(mosaic_, DiploidSamples("S", 10), 100, AllMarkers(mosaic_), "X"),
                  FileForm::kBgzip);
  }

  const TemporaryFolder folder_;
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 120, .markers = 400, .rare_share = 0});
  const PanelFitOptions options_{
      .panel = folder_ / "panel.vcf.gz",
      .study = folder_ / "study.vcf.gz",
      .regions = PloidyRegions(std::vector<Region>{{"X", 1, mosaic_.markers[100].position}}),
  };
};

TEST_F(PanelFitPartsTest, AContigWhoseFirstPartThePanelLacks) {
  const std::vector<uint32_t> all = AllMarkers(mosaic_);
  Write(std::span(all).subspan(150));
  const std::optional<StudyFit> fit = MeasurePanelFit(options_);
  ASSERT_TRUE(fit.has_value());
  EXPECT_FALSE(fit->IsOfAnotherPopulation());
}

TEST_F(PanelFitPartsTest, TooFewSharedSites) {
  const std::vector<uint32_t> all = AllMarkers(mosaic_);
  Write(std::span(all).subspan(350));
  EXPECT_FALSE(MeasurePanelFit(options_).has_value());
}

}  // namespace
}  // namespace haplospin
