#include "genotypes/assessment/mask_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/random.h"
#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/dosage_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kMaskSamples = 30, kMaskMarkers = 400;

// Genotypes of a file: by contig, position and ALT, then by sample.
using Table = std::map<std::string, std::map<std::string, int>>;

Table ReadTable(const std::string& path) {
  Table table;
  DosageReader reader(path);
  for (DosageRow row; reader.Next(row);) {
    auto& genotypes = table[row.contig + ":" + std::to_string(row.marker.position) + row.marker.alt];
    for (size_t s = 0; s < row.genotypes.size(); ++s) genotypes[reader.sample_names()[s]] = row.genotypes[s];
  }
  return table;
}

std::vector<std::string> SamplesOf(const std::string& path) { return DosageReader(path).sample_names(); }

class MaskPanelTest : public testing::Test {
 protected:
  MaskPanelTest() {
    RandomStream random(1);
    VcfText vcf(SampleNames(kMaskSamples));
    for (size_t m = 0; m < kMaskMarkers; ++m) {
      // Contig X follows 20; its odd samples are haploid.
      const bool is_x = m >= kMaskMarkers / 2;
      const double frequency = random.Uniform() * random.Uniform() / 2;
      std::string genotypes;
      for (size_t s = 0; s < kMaskSamples; ++s) {
        genotypes += random.Bernoulli(frequency) ? "1" : "0";
        if (!is_x || s % 2 == 0) genotypes += random.Bernoulli(frequency) ? "|1" : "|0";
        genotypes += " ";
      }
      // A position every 30 kb, so that contigs span several of the regions that are read at a time.
      vcf.Add(is_x ? "X" : "20", static_cast<int64_t>(30000 * (m % (kMaskMarkers / 2) + 1)), "A", "C", genotypes);
    }
    WriteVariants(folder_ / "panel.bcf", vcf, FileForm::kBcf);
    options_ = {.panel = folder_ / "panel.bcf",
                .num_study_samples = 6,
                .thin_count = 50,
                .reference_path = folder_ / "a.ref.vcf.gz",
                .target_path = folder_ / "a.target.vcf.gz",
                .truth_path = folder_ / "a.truth.vcf.gz"};
    panel_ = ReadTable(options_.panel);
  }

  void ExpectErrorAndNoOutput(const std::string& message) {
    EXPECT_THAT(ErrorOf([&] { MaskPanel(options_); }), HasSubstr(message));
    EXPECT_EQ(folder_.NumFiles(), num_files_);
  }

  std::string WriteSites(const std::string& text) {
    WriteText(folder_ / "sites.txt", text, FileForm::kVcf);
    num_files_ = 2;
    return folder_ / "sites.txt";
  }

  TemporaryFolder folder_;
  size_t num_files_ = 1;
  MaskOptions options_;
  Table panel_;
};

TEST_F(MaskPanelTest, SplitsThePanelAndKeepsItsGenotypes) {
  options_.num_study_samples = 0;
  options_.study_samples = {"S7", "S3", "S12", "S7"};
  options_.sites = WriteSites("chr20 30000\n20 60000\nX 900000\n20 31\n");
  const MaskCounts counts = MaskPanel(options_);
  EXPECT_THAT(SamplesOf(options_.truth_path), ElementsAre("S3", "S7", "S12"));  // in the panel's order
  EXPECT_THAT(SamplesOf(options_.target_path), ElementsAre("S3", "S7", "S12"));
  EXPECT_EQ(SamplesOf(options_.reference_path).size(), kMaskSamples - 3);
  EXPECT_EQ(counts.reference_samples, kMaskSamples - 3);
  EXPECT_EQ(counts.study_samples, 3u);

  const Table reference = ReadTable(options_.reference_path), target = ReadTable(options_.target_path),
              truth = ReadTable(options_.truth_path);
  size_t num_dropped = 0;
  for (const auto& [marker, genotypes] : panel_) {
    int alts = 0;
    for (const auto& [sample, genotype] : genotypes) {
      const bool is_study = sample == "S3" || sample == "S7" || sample == "S12";
      if (!is_study) alts += genotype;
    }
    ASSERT_EQ(reference.contains(marker), alts > 0) << marker;
    ASSERT_EQ(truth.contains(marker), alts > 0) << marker;
    num_dropped += alts == 0;
    if (alts == 0) continue;
    for (const auto& [sample, genotype] : reference.at(marker)) EXPECT_EQ(genotype, genotypes.at(sample));
    for (const auto& [sample, genotype] : truth.at(marker)) EXPECT_EQ(genotype, genotypes.at(sample));
  }
  EXPECT_GT(num_dropped, 0u);
  EXPECT_EQ(counts.markers, panel_.size() - num_dropped);
  for (const auto& [marker, genotypes] : target) {
    EXPECT_THAT(marker, testing::AnyOf("20:30000C", "20:60000C", "X:900000C"));
    EXPECT_EQ(genotypes, truth.at(marker));
  }
  EXPECT_EQ(counts.typed, target.size());
}

TEST_F(MaskPanelTest, DrawsSamplesAndMarkersByTheSeed) {
  const MaskCounts counts = MaskPanel(options_);
  EXPECT_EQ(counts.study_samples, 6u);
  EXPECT_EQ(counts.typed, 50u);
  const auto first_samples = SamplesOf(options_.target_path);
  const Table first = ReadTable(options_.target_path);
  EXPECT_EQ(first.size(), 50u);
  const std::string bytes = ReadFile(options_.target_path);

  {
    const ScopedThreads scope(1);
    MaskPanel(options_);
  }
  EXPECT_EQ(ReadFile(options_.target_path), bytes);

  options_.seed = 2;
  MaskPanel(options_);
  EXPECT_NE(SamplesOf(options_.target_path), first_samples);
  EXPECT_NE(ReadTable(options_.target_path), first);
}

TEST_F(MaskPanelTest, ThinsToAShare) {
  options_.thin_count = 0;
  options_.thin_share = 0.25;
  const MaskCounts counts = MaskPanel(options_);
  EXPECT_NEAR(static_cast<double>(counts.typed), 0.25 * static_cast<double>(counts.markers), 0.51);
}

// A marker that does not vary among the reference samples is never of the array.
TEST_F(MaskPanelTest, TheWholeShareIsAllMarkersThatVary) {
  options_.thin_count = 0;
  options_.thin_share = 1;
  const MaskCounts counts = MaskPanel(options_);
  EXPECT_GT(counts.typed, counts.markers * 9 / 10);
  options_.thin_count = counts.typed + 1;
  EXPECT_THAT(ErrorOf([&] { MaskPanel(options_); }), HasSubstr("cannot draw"));
}

TEST_F(MaskPanelTest, FlipsAllelesOfTheTargetOnly) {
  options_.thin_count = 150;
  options_.flip_rate = 0.1;
  MaskPanel(options_);
  const Table target = ReadTable(options_.target_path), truth = ReadTable(options_.truth_path);
  size_t differing = 0, total = 0;
  for (const auto& [marker, genotypes] : target) {
    for (const auto& [sample, genotype] : genotypes) {
      differing += genotype != truth.at(marker).at(sample);
      EXPECT_EQ(truth.at(marker).at(sample), panel_.at(marker).at(sample));
      ++total;
    }
  }
  // A genotype of two alleles differs with about 1 - 0.9^2, one of one allele (a quarter of them) with 0.1.
  const double share = static_cast<double>(differing) / static_cast<double>(total);
  EXPECT_GT(share, 0.1);
  EXPECT_LT(share, 0.25);
}

TEST_F(MaskPanelTest, WritesIndexesWhereTheTypeHasOne) {
  MaskPanel(options_);
  EXPECT_EQ(folder_.NumFiles(), 1u + 6u);
  options_.reference_path = folder_ / "b.ref.vcf";
  options_.target_path = folder_ / "b.target.vcf";
  options_.truth_path = folder_ / "b.truth.vcf";
  MaskPanel(options_);
  EXPECT_EQ(folder_.NumFiles(), 1u + 6u + 3u);
}

TEST_F(MaskPanelTest, UnknownSamplesAreNamed) {
  options_.study_samples = {"S3", "nobody", "someone", "anyone", "everyone"};
  ExpectErrorAndNoOutput(
      "panel.bcf: 4 of the study's samples are not in the panel: anyone, everyone, nobody and 1 more");
}

TEST_F(MaskPanelTest, AReferenceMustBeLeft) {
  options_.num_study_samples = kMaskSamples;
  ExpectErrorAndNoOutput("panel.bcf: has 30 samples; if 30 of them are drawn, no reference is left");
  options_.study_samples = SampleNames(kMaskSamples);
  ExpectErrorAndNoOutput("panel.bcf: all 30 samples are in the study");
}

TEST_F(MaskPanelTest, SitesOutsideThePanelAreRefused) {
  options_.sites = WriteSites("7 30000\n8 5\n");
  ExpectErrorAndNoOutput("has 2 sites, but none in " + options_.panel + ": contigs 7, 8 against 20, X");
}

TEST_F(MaskPanelTest, MoreMarkersThanThereAreCannotBeDrawn) {
  options_.thin_count = 401;
  ExpectErrorAndNoOutput("panel.bcf: cannot draw 401 markers of");
  options_.thin_count = 0;
  options_.thin_share = 0.0001;
  ExpectErrorAndNoOutput("panel.bcf: cannot draw 0 markers of");
}

TEST_F(MaskPanelTest, StandardInputIsRefused) {
  options_.panel = "-";
  ExpectErrorAndNoOutput("is read twice, so it cannot be standard input or a pipe");
}

TEST_F(MaskPanelTest, AnUnwritableOutputLeavesNothing) {
  options_.truth_path = folder_ / "no/such/a.truth.vcf.gz";
  ExpectErrorAndNoOutput("no/such");
}

}  // namespace
}  // namespace haplospin
