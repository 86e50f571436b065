#include "genotypes/imputation/run/contig_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/temporary_folder.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

constexpr int64_t kPanelBegin = 100'000'000, kStudySpacing = 100'000;
constexpr size_t kStudyMarkers = 3000;

// The study markers that a writer was given.
struct Written {
  std::vector<int64_t> positions;
  size_t max_in_memory = 0;
};

class PositionWriter : public WindowWriter {
 public:
  explicit PositionWriter(Written& written) : written_(written) {}

  void Write(const ContigBuffer& buffer, const WindowDosages& /*dosages*/, const StudyOnlyDosages* /*study_only*/,
             int64_t last) override {
    for (const Marker& marker : buffer.study().markers) {
      if (next_ <= marker.position && marker.position <= last) written_.positions.push_back(marker.position);
    }
    next_ = last == INT64_MAX ? last : last + 1;
    written_.max_in_memory = std::max(written_.max_in_memory, buffer.study().markers.size());
  }

  const ImputeCounts& counts() const override { return counts_; }

 private:
  Written& written_;
  int64_t next_ = 0;
  ImputeCounts counts_;
};

class EmptyModel : public WindowModel {
 public:
  WindowDosages Impute(const WindowInput& window) const override {
    return {window.panel.wanted(), window.study.samples->num_haplotypes()};
  }
};

// A panel of 2 Mb in the middle of a study of 300 Mb, which has every tenth of its markers.
class ContigRunTest : public testing::Test {
 protected:
  ContigRunTest() {
    Mosaic mosaic = SimulateMosaic({.haplotypes = 24, .markers = 100, .spacing_bp = 20'000});
    const int64_t shift = kPanelBegin - mosaic.markers[0].position;
    for (Marker& marker : mosaic.markers) marker.position += shift;
    WriteVariants(panel_path_, MosaicVcf(mosaic, DiploidSamples("R", 10), 0, AllMarkers(mosaic)), FileForm::kBgzip);
    std::vector<uint32_t> typed;
    for (uint32_t m = 5; m < 100; m += 10) typed.push_back(m);
    for (size_t k = 0; k < kStudyMarkers; ++k) {
      const int64_t position = static_cast<int64_t>(k + 1) * kStudySpacing + 1;
      typed.push_back(static_cast<uint32_t>(mosaic.markers.size()));
      mosaic.markers.push_back({position, ".", "T", "TGG"});
      for (auto& row : mosaic.alleles) row.push_back(0);
    }
    std::ranges::sort(typed, {}, [&](uint32_t m) { return mosaic.markers[m].position; });
    for (const uint32_t m : typed) positions_.push_back(mosaic.markers[m].position);
    WriteVariants(study_path_, MosaicVcf(mosaic, DiploidSamples("S", 2), 20, typed), FileForm::kBgzip);
  }

  Written Run(const ImputeJob& job) const { return Run(job, OpenPanel(panel_path_)); }

  Written Run(const ImputeJob& job, const std::unique_ptr<PanelReader>& panel) const {
    StudyReader study(study_path_);
    panel->NextContig();
    study.NextContig();
    Written written;
    ContigRun(job, EmptyModel(), *panel, study, nullptr, {study_path_, panel_path_, "20", "", ""}, {}, 0,
              std::make_unique<PositionWriter>(written), "imputing")
        .Run();
    return written;
  }

  const TemporaryFolder folder_;
  const std::string panel_path_ = folder_ / "panel.vcf.gz", study_path_ = folder_ / "study.vcf.gz";
  std::vector<int64_t> positions_;  // positions of the study markers, bp
};

TEST_F(ContigRunTest, StudyMarkersBeforeAndAfterThePanelAreWrittenInPieces) {
  ImputeJob job;
  job.panel.min_ratio = 0;
  for (const double window_cm : {1.0, 20.0}) {
    job.windows.length_cm = window_cm;
    const Written written = Run(job);
    EXPECT_EQ(written.positions, positions_) << window_cm;
    EXPECT_LT(written.max_in_memory, 400u) << window_cm;
  }
}

// Without a panel, a window of 100 cM has 1,000 markers, but only as many as fit into memory are read.
TEST_F(ContigRunTest, MemoryBoundsTheWindowsOfAStudyWithoutPanel) {
  ImputeJob job;
  job.panel.min_ratio = 0;
  job.study.path = study_path_;
  job.windows.length_cm = 100;
  EXPECT_GT(Run(job, OpenStudySites(study_path_, {})).max_in_memory, 1000u);
  job.memory.max_bytes = (size_t{48} << 20) + size_t{300} * 4 * 24;
  const Written written = Run(job, OpenStudySites(study_path_, {}));
  EXPECT_EQ(written.positions, positions_);
  EXPECT_LT(written.max_in_memory, 320u);
  job.memory.max_bytes = size_t{48} << 20;
  EXPECT_THROW(Run(job, OpenStudySites(study_path_, {})), InputError);
}

TEST_F(ContigRunTest, ARegionEndsTheReading) {
  ImputeJob job;
  job.panel.min_ratio = 0;
  job.windows.region = Region{"20", 1, kPanelBegin + 3'000'000};
  const Written written = Run(job);
  EXPECT_EQ(written.positions.back(), kPanelBegin + 3'000'000 - kStudySpacing + 1);
  EXPECT_LT(written.max_in_memory, 400u);
}

}  // namespace
}  // namespace haplospin
