#include "genotypes/imputation/contig/contig_buffer.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"

namespace haplospin {
namespace {

// A panel of 100 markers, typed at every tenth of them.
class ContigBufferTest : public testing::Test {
 protected:
  ContigBufferTest() {
    for (uint32_t m = 5; m < 100; m += 10) typed_.push_back(m);
    WriteVariants(panel_path_, MosaicVcf(mosaic_, DiploidSamples("R", 10), 0, AllMarkers(mosaic_)), FileForm::kBgzip);
    WriteVariants(study_path_, MosaicVcf(mosaic_, DiploidSamples("S", 2), 20, typed_), FileForm::kBgzip);
    Open();
  }

  void Open() {
    buffer_.reset();
    panel_ = OpenPanel(panel_path_);
    study_.emplace(study_path_);
    panel_->NextContig();
    study_->NextContig();
    buffer_.emplace(*panel_, *study_);
  }

  int64_t Position(size_t marker) const { return mosaic_.markers[marker].position; }

  // The positions of the typed sites.
  std::vector<int64_t> Typed(int64_t last, size_t least) const {
    std::vector<int64_t> positions;
    const WindowStudy study = buffer_->Typed(last, least, 0, 0);
    for (const uint32_t m : study.typed()) positions.push_back(buffer_->panel().marker(m).position);
    return positions;
  }

  const TemporaryFolder folder_;
  const std::string panel_path_ = folder_ / "panel.vcf.gz", study_path_ = folder_ / "study.vcf.gz";
  const Mosaic mosaic_ = SimulateMosaic({.haplotypes = 24, .markers = 100});
  std::vector<uint32_t> typed_;
  std::unique_ptr<PanelReader> panel_;
  std::optional<StudyReader> study_;
  std::optional<ContigBuffer> buffer_;
};

TEST_F(ContigBufferTest, ReadsBothSidesUpToAPosition) {
  buffer_->ReadUntil(Position(30));
  EXPECT_EQ(buffer_->panel().num_markers(), 31u);
  EXPECT_EQ(buffer_->NumTyped(), 3u);
  EXPECT_FALSE(buffer_->panel_ended());
  buffer_->ReadUntil(INT64_MAX);
  EXPECT_EQ(buffer_->panel().num_markers(), 100u);
  EXPECT_EQ(buffer_->NumTyped(), 10u);
  EXPECT_EQ(buffer_->NumTyped(Position(5), Position(25)), 3u);
  EXPECT_EQ(buffer_->NumTyped(Position(5) + 1, Position(25) - 1), 1u);
  EXPECT_TRUE(buffer_->panel_ended());
  EXPECT_EQ(buffer_->alignment().matched, 10u);
}

TEST_F(ContigBufferTest, ReadsTheStudyNoFurtherThanAskedOnceThePanelHasEnded) {
  const std::vector<uint32_t> all = AllMarkers(mosaic_);
  WriteVariants(panel_path_, MosaicVcf(mosaic_, DiploidSamples("R", 10), 0, std::span(all).first(30)),
                FileForm::kBgzip);
  Open();
  buffer_->ReadUntil(Position(40));
  EXPECT_TRUE(buffer_->panel_ended());
  EXPECT_EQ(buffer_->markers().size(), 4u);
  EXPECT_EQ(buffer_->NextOfStudy(), Position(45));
  EXPECT_EQ(buffer_->read_until(), Position(40));
  buffer_->ReadUntil(Position(99));
  EXPECT_EQ(buffer_->markers().size(), 10u);
  EXPECT_EQ(buffer_->NextOfStudy(), std::nullopt);
  EXPECT_EQ(buffer_->read_until(), INT64_MAX);
}

TEST_F(ContigBufferTest, MarkersBetweenTwoPositions) {
  buffer_->ReadUntil(INT64_MAX);
  const MarkerRange some = buffer_->Markers(Position(10), Position(20));
  EXPECT_EQ(some.begin, 10u);
  EXPECT_EQ(some.end, 21u);
  EXPECT_EQ(buffer_->Markers(Position(10) + 1, Position(11) - 1).size(), 0u);
  EXPECT_EQ(buffer_->Markers(1, INT64_MAX).size(), 100u);
  EXPECT_EQ(buffer_->Markers(Position(20), Position(10)).size(), 0u);
}

TEST_F(ContigBufferTest, TypedSitesUpToAPositionAndBeyondWhereTheyAreFew) {
  buffer_->ReadUntil(INT64_MAX);
  EXPECT_EQ(Typed(Position(15), 0), (std::vector{Position(5), Position(15)}));
  EXPECT_EQ(Typed(Position(15) - 1, 2), (std::vector{Position(5), Position(15)}));
  EXPECT_EQ(Typed(1, 1), std::vector{Position(5)});
  EXPECT_EQ(Typed(1, 0), std::vector<int64_t>{});
}

TEST_F(ContigBufferTest, PositionsOfTypedSitesBefore) {
  buffer_->ReadUntil(INT64_MAX);
  EXPECT_EQ(buffer_->PositionOfTypedBefore(Position(35), 1), Position(25));
  EXPECT_EQ(buffer_->PositionOfTypedBefore(Position(35) + 1, 2), Position(25));
  EXPECT_EQ(buffer_->PositionOfTypedBefore(Position(35), 99), Position(5));
  EXPECT_EQ(buffer_->PositionOfTypedBefore(Position(5), 1), Position(5));
}

// The markers that are kept do not change, and more can be read.
TEST_F(ContigBufferTest, DropsWhatLiesBeforeAPosition) {
  buffer_->ReadUntil(Position(40));
  buffer_->DropBefore(Position(15));
  EXPECT_EQ(buffer_->panel().num_markers(), 26u);
  EXPECT_EQ(buffer_->markers().size(), 3u);
  EXPECT_EQ(Typed(INT64_MAX, 0), (std::vector{Position(15), Position(25), Position(35)}));
  buffer_->ReadUntil(Position(60));
  EXPECT_EQ(Typed(INT64_MAX, 0).back(), Position(55));
  EXPECT_EQ(buffer_->alignment().matched, 6u);
}

}  // namespace
}  // namespace haplospin
