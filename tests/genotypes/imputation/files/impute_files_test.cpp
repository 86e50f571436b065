#include "genotypes/imputation/files/impute_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/temporary_folder.h"
#include "genotypes/genomics/sites/variant.h"
#include "genotypes/imputation/backends/cpu_backend.h"
#include "genotypes/imputation/contig/contig_buffer.h"
#include "genotypes/imputation/models/network/network_fixtures.h"
#include "genotypes/imputation/mosaic_files.h"
#include "genotypes/imputation/mosaic_panel.h"
#include "genotypes/variant_io/panel_files.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

struct Imputed {
  std::vector<DosageRow> rows;
  std::string log;
  RunReport report;
};

// 8 cM: 100 reference haplotypes, 3 study samples and every fourth common marker typed.
class ImputeFilesTest : public testing::Test {
 protected:
  ImputeFilesTest() {
    job_.panel.path = folder_ / "panel.vcf.gz";
    job_.study.path = folder_ / "study.vcf.gz";
    job_.output.path = folder_ / "imputed.vcf.gz";
    typed_ = CommonMarkers(MakePanel(mosaic_, reference_), 2);
    WriteFiles(typed_);
  }

  void WriteFiles(const std::vector<uint32_t>& typed) {
    WriteVariants(job_.panel.path, MosaicVcf(mosaic_, reference_, 0, AllMarkers(mosaic_)), FileForm::kBgzip);
    WriteVariants(job_.study.path, MosaicVcf(mosaic_, study_, 100, typed), FileForm::kBgzip);
  }

  Imputed Run(const ImputerWeights& weights = LiStephensWeights()) const { return Run(job_, weights); }

  Imputed Run(const ImputeJob& job, const ImputerWeights& weights = LiStephensWeights()) const {
    Imputed imputed;
    testing::internal::CaptureStderr();
    const std::unique_ptr<Backend> backend = MakeCpuBackend(weights);
    imputed.report = ImputeFiles(job, {.backend = backend.get()});
    imputed.log = testing::internal::GetCapturedStderr();
    DosageReader reader(job.output.path);
    for (DosageRow row; reader.Next(row);) imputed.rows.push_back(row);
    return imputed;
  }

  std::string Error(const ImputeJob& job) const {
    testing::internal::CaptureStderr();
    std::string message;
    try {
      const std::unique_ptr<Backend> backend = MakeCpuBackend(LiStephensWeights());
      ImputeFiles(job, {.backend = backend.get()});
    } catch (const InputError& error) {
      message = error.what();
    }
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(std::filesystem::exists(job.output.path));
    return message;
  }

  // Windows of two centimorgans, so that there are several.
  ImputeJob Windowed(double overlap_cm = 1) const {
    ImputeJob job = job_;
    job.windows.core = 2;
    job.windows.flank = overlap_cm;
    return job;
  }

  void ExpectAsInTheWhole(ImputeJob job, const Region& region) const {
    Imputed expected;
    for (const DosageRow& row : Run(job).rows) {
      if (row.marker.position >= region.begin && row.marker.position <= region.end) expected.rows.push_back(row);
    }
    job.windows.region = region;
    const Imputed imputed = Run(job);
    ASSERT_EQ(imputed.rows.size(), expected.rows.size());
    ASSERT_GT(imputed.rows.size(), 10u);
    for (size_t m = 0; m < expected.rows.size(); ++m) {
      ASSERT_EQ(imputed.rows[m].marker.position, expected.rows[m].marker.position);
      ASSERT_EQ(imputed.rows[m].dosages, expected.rows[m].dosages) << m;
    }
  }

  void ExpectAllMarkers(const Imputed& imputed) const {
    ASSERT_EQ(imputed.rows.size(), mosaic_.markers.size());
    for (size_t m = 0; m < mosaic_.markers.size(); ++m) {
      ASSERT_EQ(imputed.rows[m].marker.position, mosaic_.markers[m].position);
      ASSERT_TRUE(SameVariant(imputed.rows[m].marker, mosaic_.markers[m]));
    }
    EXPECT_EQ(imputed.report.markers.imputed + imputed.report.markers.typed, mosaic_.markers.size());
  }

  const TemporaryFolder folder_;
  const Mosaic mosaic_ =
      SimulateMosaic({.haplotypes = 106, .markers = 400, .spacing_bp = 20000, .switches_per_cm = 0.5});
  const SampleTable reference_ = DiploidSamples("R", 50);
  const SampleTable study_ = DiploidSamples("S", 3);
  std::vector<uint32_t> typed_;
  ImputeJob job_;
};

// Mean and largest difference of the dosages.
std::pair<double, double> Differences(const Imputed& a, const Imputed& b) {
  EXPECT_EQ(a.rows.size(), b.rows.size());
  double sum = 0, largest = 0;
  size_t count = 0;
  for (size_t m = 0; m < std::min(a.rows.size(), b.rows.size()); ++m) {
    for (size_t s = 0; s < a.rows[m].dosages.size(); ++s) {
      const double difference = std::abs(double{a.rows[m].dosages[s]} - b.rows[m].dosages[s]);
      sum += difference;
      largest = std::max(largest, difference);
      ++count;
    }
  }
  return {sum / static_cast<double>(count), largest};
}

TEST_F(ImputeFilesTest, OneWindowIsTheWindowImputers) {
  const ImputerWeights weights = RandomWeights(1);
  const Imputed imputed = Run(weights);
  ExpectAllMarkers(imputed);
  EXPECT_EQ(imputed.report.samples, 3u);
  EXPECT_EQ(imputed.report.markers.typed, typed_.size());
  EXPECT_EQ(imputed.report.markers.not_in_panel, 0u);
  const HaplotypePanel panel = MakePanel(mosaic_, reference_);
  const SimulatedStudy study(study_, typed_, std::span(mosaic_.alleles).subspan(100));
  const WindowDosages dosages = ImputeStudy(panel, study.View(), {0, panel.num_markers()}, *MakeCpuBackend(weights));
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    const bool is_typed = std::ranges::binary_search(typed_, static_cast<uint32_t>(m));
    for (size_t s = 0; s < 3; ++s) {
      const auto& alleles = mosaic_.alleles;
      const double expected = is_typed ? alleles[100 + 2 * s][m] + alleles[101 + 2 * s][m]
                                       : dosages.Get(2 * s, m) + dosages.Get(2 * s + 1, m);
      ASSERT_NEAR(imputed.rows[m].dosages[s], expected, 2e-4) << m;
    }
  }
}

TEST_F(ImputeFilesTest, WindowsAreNearlyAsOne) {
  const Imputed whole = Run();
  const Imputed windowed = Run(Windowed());
  ExpectAllMarkers(windowed);
  const auto [mean, largest] = Differences(whole, windowed);
  EXPECT_GT(largest, 0);
  EXPECT_LT(mean, 0.01);
}

// A wider overlap brings the results closer to those of one window.
TEST_F(ImputeFilesTest, OverlapMakesWindowsMoreAlike) {
  const Imputed whole = Run();
  const double without = Differences(whole, Run(Windowed(0))).first;
  EXPECT_LT(2 * Differences(whole, Run(Windowed(2))).first, without);
}

// Windows of any size give complete results; here windows of 16 and of 80 markers.
TEST_F(ImputeFilesTest, ShorterWindowsWhereMemoryIsShort) {
  const Imputed whole = Run();
  for (const size_t bytes : {192, 960}) {
    ImputeJob job = job_;
    job.memory.dosage_bytes = bytes;
    const Imputed shortened = Run(job);
    ExpectAllMarkers(shortened);
    EXPECT_LT(Differences(whole, shortened).first, 0.01) << bytes;
    job.windows.flank = 0;
    ExpectAllMarkers(Run(job));
  }
}

TEST_F(ImputeFilesTest, APanelMustFitIntoTheMemoryGiven) {
  ImputeJob job = job_;
  job.memory.max_bytes = 1 << 10;
  EXPECT_THAT(Error(job), HasSubstr(job_.panel.path + ": a window of contig 20 takes more than the 1 MiB of --memory"));

  // The estimate of a panel file is made before it is read.
  job.panel.path = folder_ / "panel.hsp";
  BuildPanelFile(job_.panel.path, job.panel.path, {});
  EXPECT_THAT(Error(job),
              HasSubstr(job.panel.path + ": a window of contig 20 with 400 markers of 100 haplotypes takes"));
  EXPECT_THAT(Error(job), HasSubstr("more than the 1 MiB of --memory; give a shorter --window"));
  job.memory.max_bytes = size_t{1} << 32;
  job.memory.model_bytes = job.memory.max_bytes - (size_t{1} << 20);
  EXPECT_THAT(Error(job), HasSubstr("more than the 4096 MiB of --memory"));
  job.memory.model_bytes = 0;
  EXPECT_EQ(Differences(Run(), Run(job)).second, 0);
}

// The panel up to the first typed sites, far from the first window.
TEST_F(ImputeFilesTest, WhatIsReadOnForTypedSitesMustFitIntoTheMemory) {
  std::erase_if(typed_, [](uint32_t m) { return m < 390; });
  WriteFiles(typed_);
  ImputeJob job = Windowed();
  job.panel.min_ratio = 0;
  const auto panel = OpenPanel(job.panel.path);
  StudyReader study(job.study.path);
  panel->NextContig();
  study.NextContig();
  ContigBuffer buffer(*panel, study);
  buffer.ReadUntil(4'000'000);
  job.memory.max_bytes = buffer.panel().MemoryBytes();
  buffer.ReadUntil(INT64_MAX);
  ASSERT_GT(buffer.panel().MemoryBytes(), job.memory.max_bytes);
  EXPECT_THAT(Error(job), HasSubstr(job_.panel.path + ": a window of contig 20 takes more than the 1 MiB of --memory"));
}

TEST_F(ImputeFilesTest, ShorterWindowsBeforeTheFirstTypedSite) {
  std::erase_if(typed_, [](uint32_t m) { return m < 200; });
  WriteFiles(typed_);
  ImputeJob job = job_;
  job.memory.dosage_bytes = 600;
  job.windows.flank = 0.5;
  ExpectAllMarkers(Run(job));
}

TEST_F(ImputeFilesTest, WindowsWithFewTypedSitesTakeTheNeighbors) {
  std::erase_if(typed_, [](uint32_t m) { return m > 120 && m < 290; });
  WriteFiles(typed_);
  ImputeJob job = Windowed(0.1);
  job.windows.core = 1;
  const Imputed imputed = Run(job);
  ExpectAllMarkers(imputed);
  EXPECT_THAT(imputed.log,
              HasSubstr(job_.study.path +
                        ": 2 windows have fewer than 2 typed sites (the first: 0 typed sites of the panel in 20:"));
  EXPECT_THAT(imputed.log, HasSubstr("imputed from neighboring sites"));
  // The start and the end of a contig have neighbors on one side only.
  for (const bool at_start : {false, true}) {
    std::vector<uint32_t> typed = CommonMarkers(MakePanel(mosaic_, reference_), 2);
    std::erase_if(typed, [&](uint32_t m) { return at_start ? m < 250 : m > 150; });
    WriteFiles(typed);
    const Imputed one_sided = Run(Windowed(0.1));
    ExpectAllMarkers(one_sided);
    EXPECT_THAT(one_sided.log, HasSubstr("imputed from neighboring sites"));
  }
}

TEST_F(ImputeFilesTest, OneTypedSiteOnTheContig) {
  WriteFiles({typed_[40]});
  for (ImputeJob job : {job_, Windowed()}) {
    std::filesystem::remove(job.output.path);
    EXPECT_THAT(Error(job), HasSubstr("its sites in the panel (1) span 1e-06 of the panel's"));
    job.panel.min_ratio = 0;
    const Imputed imputed = Run(job);
    ExpectAllMarkers(imputed);
    EXPECT_THAT(imputed.log, HasSubstr("1 contig with 1 typed site of the panel (the first: 20:"));
  }
}

// Contigs of one marker, as the loci of RAD sequencing, give one warning, which does not speak of a panel.
TEST_F(ImputeFilesTest, ManyContigsOfOneMarkerGiveOneWarning) {
  VcfText study(study_.names, {});
  for (int k = 0; k < 50; ++k)
    AddMosaic(mosaic_, study_, 100, std::vector{typed_[20]}, fmt::format("locus_{}", k), study);
  WriteVariants(job_.study.path, study, FileForm::kVcf);
  ImputeJob job = job_;
  job.panel.path.clear();
  testing::internal::CaptureStderr();
  ImputeFiles(job, {});
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr(": 50 contigs with 1 marker (the first: locus_0:"));
  EXPECT_THAT(log, testing::Not(HasSubstr("neighboring")));
  EXPECT_THAT(log, testing::Not(HasSubstr("of the panel")));
}

// A gap in both files, as around a centromere, is no reason for a warning.
TEST_F(ImputeFilesTest, NoWarningWhereThePanelHasNothing) {
  Mosaic apart = mosaic_;
  for (size_t m = 200; m < 400; ++m) apart.markers[m].position += 30'000'000;
  WriteVariants(job_.panel.path, MosaicVcf(apart, reference_, 0, AllMarkers(apart)), FileForm::kBgzip);
  WriteVariants(job_.study.path, MosaicVcf(apart, study_, 100, typed_), FileForm::kBgzip);
  const Imputed imputed = Run(Windowed());
  EXPECT_EQ(imputed.rows.size(), 400u);
  EXPECT_THAT(imputed.log, testing::Not(HasSubstr("typed site")));
}

// Study markers before, between, at and after the panel's.
TEST_F(ImputeFilesTest, StudyMarkersThatThePanelLacksAreWrittenThrough) {
  Mosaic more = mosaic_;
  std::vector<uint32_t> typed = typed_;
  std::vector<int64_t> extra{5, mosaic_.markers[70].position, mosaic_.markers[71].position + 7, 5'999'999, 90'000'000};
  for (const int64_t position : extra) {
    typed.push_back(static_cast<uint32_t>(more.markers.size()));
    more.markers.push_back({position, ".", "T", "TGG"});
    for (auto& row : more.alleles) row.push_back(static_cast<uint8_t>(row.size() % 2));
  }
  std::ranges::sort(typed, {}, [&](uint32_t m) { return more.markers[m].position; });
  WriteVariants(job_.study.path, MosaicVcf(more, study_, 100, typed), FileForm::kBgzip);
  for (const ImputeJob& job : {job_, Windowed(), Windowed(0)}) {
    const Imputed imputed = Run(job);
    EXPECT_EQ(imputed.report.markers.not_in_panel, extra.size());
    EXPECT_EQ(imputed.rows.size(), 400 + extra.size());
    EXPECT_TRUE(std::ranges::is_sorted(imputed.rows, {}, [](const auto& row) { return row.marker.position; }));
    std::vector<int64_t> found;
    for (const DosageRow& row : imputed.rows) {
      if (row.marker.alt == "TGG") found.push_back(row.marker.position);
    }
    EXPECT_EQ(found, extra);
  }
}

// Several contigs, in the order of the files; contigs that are not in the study are skipped.
TEST_F(ImputeFilesTest, SeveralContigs) {
  const Mosaic other = SimulateMosaic({.haplotypes = 106, .markers = 60, .seed = 2});
  const auto write = [&](const std::string& path, const SampleTable& samples, size_t first, bool is_panel) {
    VcfText vcf(samples.names, {"19", "20", "21"});
    if (is_panel) AddMosaic(other, samples, first, AllMarkers(other), "19", vcf);
    AddMosaic(mosaic_, samples, first, is_panel ? AllMarkers(mosaic_) : typed_, "20", vcf);
    AddMosaic(other, samples, first, is_panel ? AllMarkers(other) : std::vector<uint32_t>{7, 8, 30}, "21", vcf);
    WriteVariants(path, vcf, FileForm::kBgzip);
  };
  const Imputed alone = Run();
  write(job_.panel.path, reference_, 0, true);
  write(job_.study.path, study_, 100, false);
  const Imputed both = Run();
  ASSERT_EQ(both.rows.size(), 460u);
  EXPECT_EQ(both.report.samples, 3u);
  EXPECT_EQ(both.report.markers.typed, typed_.size() + 3);
  for (size_t m = 0; m < 400; ++m) {
    ASSERT_EQ(both.rows[m].contig, "20");
    ASSERT_EQ(both.rows[m].dosages, alone.rows[m].dosages);
  }
  for (size_t m = 400; m < 460; ++m) ASSERT_EQ(both.rows[m].contig, "21");
}

// The contigs of the records are known before the run.
TEST_F(ImputeFilesTest, ContigsThatTheStudyDoesNotDeclare) {
  const std::vector<uint32_t> markers = AllMarkers(mosaic_);
  VcfText panel(reference_.names, {"20", "21"});
  VcfText same(study_.names, {}), other(study_.names, {}), one(study_.names, {});
  AddMosaic(mosaic_, study_, 100, typed_, "chr20", one);
  for (const std::string contig : {"20", "21"}) {
    AddMosaic(mosaic_, reference_, 0, markers, contig, panel);
    AddMosaic(mosaic_, study_, 100, typed_, contig, same);
    AddMosaic(mosaic_, study_, 100, typed_, "chr" + contig, other);
  }
  WriteVariants(job_.panel.path, panel, FileForm::kBgzip);
  WriteVariants(job_.study.path, one, FileForm::kVcf);
  EXPECT_EQ(Run().rows.back().contig, "chr20");
  WriteVariants(job_.study.path, same, FileForm::kVcf);
  EXPECT_EQ(Run().rows.back().contig, "21");
  WriteVariants(job_.study.path, other, FileForm::kVcf);
  EXPECT_EQ(Run().rows.back().contig, "chr21");
}

// A header may declare some contigs only.
TEST_F(ImputeFilesTest, AContigAfterDeclaredOnesNeedNotBeDeclared) {
  VcfText panel(reference_.names, {"20"}), study(study_.names, {"20"});
  for (const std::string contig : {"20", "21"}) {
    AddMosaic(mosaic_, reference_, 0, AllMarkers(mosaic_), contig, panel);
    AddMosaic(mosaic_, study_, 100, typed_, contig, study);
  }
  WriteVariants(job_.panel.path, panel, FileForm::kVcf);
  WriteVariants(job_.study.path, study, FileForm::kVcf);
  EXPECT_EQ(Run().rows.back().contig, "21");
}

// The contigs of the map are checked at the start if indexes name the contigs of the files. A panel is not read for
// this check, as it may be a pipe.
TEST_F(ImputeFilesTest, AMapOfSeveralContigs) {
  VcfText panel(reference_.names, {"20", "21"}), study(study_.names, {"20", "21"});
  for (const std::string contig : {"20", "21"}) {
    AddMosaic(mosaic_, reference_, 0, AllMarkers(mosaic_), contig, panel);
    AddMosaic(mosaic_, study_, 100, typed_, contig, study);
  }
  WriteVariants(job_.panel.path, panel, FileForm::kBgzip);
  WriteVariants(job_.study.path, study, FileForm::kBgzip);
  IndexFile(job_.study.path);
  const std::string of_20 = "20 . 0 1\n20 . 20 20000000\n";
  job_.panel.map = folder_ / "genome.map";
  WriteFile(job_.panel.map, of_20 + "21 . 0 1\n21 . 20 20000000\n");
  const Imputed expected = Run();
  std::filesystem::remove(job_.output.path);

  ImputeJob piped = job_;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  piped.panel.path = "/dev/fd/" + std::to_string(ends[0]);
  std::thread writer([&] {
    const std::string bytes = ReadFile(job_.panel.path);
    EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(ends[1]);
  });
  const Imputed imputed = Run(piped);
  writer.join();
  close(ends[0]);
  EXPECT_EQ(imputed.rows.size(), expected.rows.size());
  std::filesystem::remove(job_.output.path);

  IndexFile(job_.panel.path);
  WriteFile(job_.panel.map, of_20);
  EXPECT_THAT(Error(job_), HasSubstr("no row for contig 21; it has rows for 20"));
}

// A region has the records that a run over the whole contig has there.
TEST_F(ImputeFilesTest, ARegionIsAsInTheWhole) {
  IndexFile(job_.panel.path);
  for (const bool is_indexed : {false, true}) {
    if (is_indexed) IndexFile(job_.study.path);
    for (const Region& region :
         {Region{"20", 1, INT64_MAX}, {"20", 2'500'000, 4'700'000}, {"chr20", 7'000'000, INT64_MAX}}) {
      ExpectAsInTheWhole(Windowed(), region);
    }
  }
}

// The last window goes on to the end of the panel if that is in its overlap.
TEST_F(ImputeFilesTest, ARegionAtTheEndOfTheLastWindowIsAsInTheWhole) {
  ImputeJob job = job_;
  job.windows.core = 3.5;
  job.windows.flank = 1.5;
  const int64_t first = mosaic_.markers.front().position;
  for (const int64_t begin : {3'600'000, 5'200'000, 6'900'000, 7'300'000, 7'700'000}) {
    ExpectAsInTheWhole(job, {"20", first + begin, INT64_MAX});
  }
}

TEST_F(ImputeFilesTest, FilesThatShareNoSiteAreAnError) {
  Mosaic elsewhere = mosaic_;
  for (Marker& marker : elsewhere.markers) marker.position += 1;
  WriteVariants(job_.study.path, MosaicVcf(elsewhere, study_, 100, typed_), FileForm::kBgzip);
  for (const ImputeJob& job : {job_, Windowed()}) {
    EXPECT_THAT(Error(job), HasSubstr("no typed site is shared: " + job_.study.path + " has " +
                                      std::to_string(typed_.size()) + " sites (contigs 20), " + job_.panel.path +
                                      " has 400 (contigs 20), and 0 study sites are at a panel position"));
  }
}

TEST_F(ImputeFilesTest, OneFileForBothIsAnError) {
  ImputeJob job = job_;
  job.study.path = job.panel.path;
  EXPECT_THAT(Error(job), HasSubstr("give two different files"));
}

}  // namespace
}  // namespace haplospin
