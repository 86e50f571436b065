#include "genotypes/imputation/contig/contig_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/temporary_folder.h"
#include "genotypes/imputation/contig/window_lengths.h"
#include "genotypes/imputation/contig/window_memory.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
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

class PositionOutput : public StudyOutput {
 public:
  explicit PositionOutput(Written& written) : written_(written) {}

  void SetPloidy(const SampleTable& /*samples*/) override {}
  void Write(const std::string& /*contig*/, std::span<const DosageRecord> records) override {
    for (const DosageRecord& record : records) written_.positions.push_back(record.marker->position);
  }
  void Finish(IndexType /*index*/) override {}

 private:
  Written& written_;
};

// Notes how many study markers a run has read and not written.
class CountingStudy : public StudyMarkerSource {
 public:
  CountingStudy(StudyReader& reader, Written& written) : reader_(reader), written_(written) {}

  std::optional<int64_t> NextPosition() override { return reader_.NextPosition(); }
  StudyGenotypes StartContig() override { return reader_.StartContig(); }
  bool ReadUntil(int64_t position, StudyGenotypes& study) override {
    const size_t before = study.markers.size();
    const bool has_more = reader_.ReadUntil(position, study);
    num_read_ += study.markers.size() - before;
    written_.max_in_memory = std::max(written_.max_in_memory, num_read_ - written_.positions.size());
    return has_more;
  }
  void Seek(const Region& region) override { reader_.Seek(region); }

 private:
  StudyReader& reader_;
  Written& written_;
  size_t num_read_ = 0;
};

// Returns --memory, in bytes, for which a window of two people may have `markers`.
size_t MemoryForMarkers(ImputeJob job, size_t markers) {
  constexpr size_t kStep = 1024;
  const auto most = [&] {
    try {
      const WindowPlan plan = MakeWindowPlan({.reference = Reference::kStudy}, {});
      return MaxMarkersByPhasing({plan, 2, 4}, 0, job);
    } catch (const InputError&) {
      return size_t{0};
    }
  };
  for (job.memory.max_bytes = kStep; most() < markers;) job.memory.max_bytes += kStep;
  return job.memory.max_bytes;
}

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

  // A job with the panel, which any share of the study may be in.
  ImputeJob Job() const {
    ImputeJob job;
    job.panel.path = panel_path_;
    job.panel.min_ratio = 0;
    return job;
  }

  Written Run(const ImputeJob& job, const std::unique_ptr<PanelReader>& panel) const {
    StudyReader study(study_path_);
    panel->NextContig();
    study.NextContig();
    Written written;
    CountingStudy counting(study, written);
    PositionOutput output(written);
    const StudyFacts facts = MeasureFacts(job, RunOutput::kPhase);
    const ContigInput input{.panel = *panel,
                            .study = counting,
                            .windows = ChooseWindowLengths(job.windows, {}),
                            .files = {study_path_, panel_path_, "20", "", ""}};
    ContigRun(job, facts, {}, input, output).Run();
    return written;
  }

  const TemporaryFolder folder_;
  const std::string panel_path_ = folder_ / "panel.vcf.gz", study_path_ = folder_ / "study.vcf.gz";
  std::vector<int64_t> positions_;  // positions of the study markers, bp
};

TEST_F(ContigRunTest, StudyMarkersBeforeAndAfterThePanelAreWrittenInPieces) {
  ImputeJob job = Job();
  for (const double window_cm : {1.0, 20.0}) {
    job.windows.core = window_cm;
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
  job.windows.core = 100;
  EXPECT_GT(Run(job, OpenStudySites(study_path_, {})).max_in_memory, 1000u);
  job.memory.max_bytes = MemoryForMarkers(job, 300);
  const Written written = Run(job, OpenStudySites(study_path_, {}));
  EXPECT_EQ(written.positions, positions_);
  EXPECT_LT(written.max_in_memory, 320u);
  job.memory.max_bytes = 1;
  EXPECT_THROW(Run(job, OpenStudySites(study_path_, {})), InputError);
}

TEST_F(ContigRunTest, ARegionEndsTheReading) {
  ImputeJob job = Job();
  job.windows.region = Region{"20", 1, kPanelBegin + 3'000'000};
  const Written written = Run(job);
  EXPECT_EQ(written.positions.back(), kPanelBegin + 3'000'000 - kStudySpacing + 1);
  EXPECT_LT(written.max_in_memory, 400u);
}

}  // namespace
}  // namespace haplospin
