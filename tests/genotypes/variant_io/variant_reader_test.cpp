#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::ElementsAre;
using Rows = std::vector<std::vector<int>>;  // alleles [markers][haplotypes]

constexpr int64_t kEnd = INT64_MAX;

Rows RowsOf(const HaplotypePanel& panel) {
  Rows rows;
  for (size_t m = 0; m < panel.num_markers(); ++m) {
    std::vector<int>& row = rows.emplace_back();
    for (size_t h = 0; h < panel.num_haplotypes(); ++h) row.push_back(panel.allele(m, h));
  }
  return rows;
}

Rows RowsOf(const StudyGenotypes& study) {
  Rows rows;
  for (const auto& [marker, row] : study.markers) rows.emplace_back(row.alleles.begin(), row.alleles.end());
  return rows;
}

std::vector<int64_t> PositionsOf(const HaplotypePanel& panel) {
  std::vector<int64_t> positions;
  for (size_t m = 0; m < panel.num_markers(); ++m) positions.push_back(panel.marker(m).position);
  return positions;
}

std::vector<int64_t> PositionsOf(const StudyGenotypes& study) {
  std::vector<int64_t> positions;
  for (const StudyMarker& study_marker : study.markers) positions.push_back(study_marker.marker.position);
  return positions;
}

void ExpectMarker(const Marker& marker, int64_t position, const std::string& id, const std::string& ref,
                  const std::string& alt) {
  EXPECT_EQ(marker.position, position);
  EXPECT_EQ(marker.id, id);
  EXPECT_EQ(marker.ref, ref);
  EXPECT_EQ(marker.alt, alt);
}

HaplotypePanel ReadPanel(PanelReader& reader, int64_t until = kEnd) {
  MutablePanel panel = reader.StartContig();
  reader.ReadUntil(until, panel);
  return panel;
}

StudyGenotypes ReadStudy(StudyReader& reader, int64_t until = kEnd) {
  StudyGenotypes study = reader.StartContig();
  reader.ReadUntil(until, study);
  return study;
}

class VariantReaderTest : public testing::TestWithParam<FileForm> {
 protected:
  std::string Write(const VcfText& vcf) {
    const bool is_bcf = GetParam() == FileForm::kBcf || GetParam() == FileForm::kBcfUncompressed;
    const std::string path = folder_ / (is_bcf ? "in.bcf" : GetParam() == FileForm::kVcf ? "in.vcf" : "in.vcf.gz");
    WriteVariants(path, vcf, GetParam());
    return path;
  }
  std::unique_ptr<PanelReader> Panel(const VcfText& vcf) { return OpenPanel(Write(vcf)); }
  StudyReader Study(const VcfText& vcf) { return StudyReader(Write(vcf)); }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Forms, VariantReaderTest, testing::ValuesIn(kAllForms));

TEST_P(VariantReaderTest, ReadsAPanel) {
  auto reader = Panel(VcfText()
                          .Add("20", 100, "A", "C", "0|1 1|0 0|0")
                          .Add("20", 100, "A", "G", "1|0 0|0 1|1")   // the same position again
                          .Add("20", 250, "AT", "A", "0/0 1/1 0|1")  // an unphased homozygote is as good as phased
                          .Add("20", 300, "T", ".", "0|0 0|0 0|0")
                          .Add("20", 400, "T", "<DEL>", "1|1 1|1 1|1"));
  EXPECT_THAT(reader->sample_names(), ElementsAre("A", "B", "C"));
  EXPECT_EQ(reader->NextContig(), "20");
  const HaplotypePanel panel = ReadPanel(*reader);
  EXPECT_EQ(panel.contig(), "20");
  EXPECT_THAT(panel.samples().first_haplotype, ElementsAre(0, 2, 4, 6));
  EXPECT_EQ(RowsOf(panel), (Rows{{0, 1, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 1}, {0, 0, 1, 1, 0, 1}, {1, 1, 1, 1, 1, 1}}));
  ExpectMarker(panel.marker(0), 100, "rs100", "A", "C");
  ExpectMarker(panel.marker(1), 100, "rs100", "A", "G");
  ExpectMarker(panel.marker(2), 250, "rs250", "AT", "A");
  ExpectMarker(panel.marker(3), 400, "rs400", "T", "<DEL>");
  EXPECT_EQ(reader->NextContig(), std::nullopt);
}

TEST_P(VariantReaderTest, MakesOneMarkerOfEachAlt) {
  const VcfText vcf = VcfText().Add("20", 100, "A", "C,G,AT", "0|1 2|3 3|1").Add("20", 200, "A", "C", "0|0 0|1 1|1");
  auto reader = Panel(vcf);
  const HaplotypePanel panel = ReadPanel(*reader);
  EXPECT_EQ(RowsOf(panel), (Rows{{0, 1, 0, 0, 0, 1}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 0}, {0, 0, 0, 1, 1, 1}}));
  ExpectMarker(panel.marker(0), 100, "rs100", "A", "C");
  ExpectMarker(panel.marker(1), 100, "rs100", "A", "G");
  ExpectMarker(panel.marker(2), 100, "rs100", "A", "AT");
  auto study_reader = Study(vcf);
  const StudyGenotypes study = ReadStudy(study_reader);
  EXPECT_EQ(RowsOf(study), RowsOf(panel));
  ExpectMarker(study.markers[2].marker, 100, "rs100", "A", "AT");
}

TEST_P(VariantReaderTest, ReadsHaploidSamples) {
  const VcfText vcf = VcfText().Add("X", 100, "A", "C", "0|1 1 0|0").Add("X", 200, "A", "C,G", "1|2 2 0|1");
  auto reader = Panel(vcf);
  const HaplotypePanel panel = ReadPanel(*reader);
  EXPECT_THAT(panel.samples().first_haplotype, ElementsAre(0, 2, 3, 5));
  EXPECT_EQ(RowsOf(panel), (Rows{{0, 1, 1, 0, 0}, {1, 0, 0, 0, 1}, {0, 1, 1, 0, 0}}));
  auto study_reader = Study(vcf);
  const StudyGenotypes study = ReadStudy(study_reader);
  EXPECT_EQ(study.samples.first_haplotype, panel.samples().first_haplotype);
  EXPECT_EQ(RowsOf(study), RowsOf(panel));
}

TEST_P(VariantReaderTest, ReadsContigsOfHaploidSamplesOnly) {
  auto reader = Panel(VcfText().Add("X", 100, "A", "C", "0 1 0").Add("X", 200, "A", "C", "1 1 0"));
  const HaplotypePanel panel = ReadPanel(*reader);
  EXPECT_THAT(panel.samples().first_haplotype, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(RowsOf(panel), (Rows{{0, 1, 0}, {1, 1, 0}}));
}

// Where males are haploid, a sample whose genotypes all have one missing allele is: some programs write males so. A
// sample with a whole genotype is not, and nobody is elsewhere.
TEST_P(VariantReaderTest, HalfGenotypesOnXAreThoseOfHaploidMales) {
  const auto read = [&](const std::string& contig) {
    auto reader = Study(VcfText({"A", "B", "C"})
                            .Add(contig, 5'000'000, "A", "C", "0|. .|. 1|.")
                            .Add(contig, 5'000'100, "A", "C", "1|. 0|1 .|0")
                            .Add(contig, 5'000'200, "A", "C", ".|. 1|. .|1"));
    reader.DivideContigs(PloidyRegions::ForBuild("GRCh37"));
    return ReadStudy(reader);
  };
  constexpr int kNone = kMissingAllele;
  const StudyGenotypes on_x = read("X");
  EXPECT_THAT(on_x.samples.first_haplotype, ElementsAre(0, 1, 3, 4));
  EXPECT_EQ(RowsOf(on_x), (Rows{{0, kNone, kNone, 1}, {1, 0, 1, 0}, {kNone, 1, kNone, 1}}));
  EXPECT_THAT(read("20").samples.first_haplotype, ElementsAre(0, 2, 4, 6));
}

TEST_P(VariantReaderTest, ReadsMissingStudyGenotypes) {
  auto reader = Study(VcfText({"A", "B", "C", "D", "E"})
                          .Add("20", 100, "A", "C", "./. .|. . .|0 1|.")
                          .Add("20", 200, "A", ".", "0|0 0|0 0 0|0 .|.")
                          .Add("20", 300, "A", "C", "0|1 1|1 1 0/0 ."));
  const StudyGenotypes study = ReadStudy(reader);
  constexpr int kNone = kMissingAllele;
  EXPECT_THAT(study.samples.first_haplotype, ElementsAre(0, 2, 4, 5, 7, 9)) << "the third sample is haploid";
  EXPECT_EQ(RowsOf(study), (Rows{{kNone, kNone, kNone, kNone, kNone, kNone, 0, 1, kNone},
                                 {0, 0, 0, 0, 0, 0, 0, kNone, kNone},
                                 {0, 1, 1, 1, 1, 0, 0, kNone, kNone}}));
  ExpectMarker(study.markers[1].marker, 200, "rs200", "A", ".");
}

TEST_P(VariantReaderTest, ReadsUpToAPosition) {
  VcfText vcf;
  for (int64_t position = 100; position <= 1000; position += 100) vcf.Add("20", position, "A", "C", "0|1 1|0 0|0");
  auto reader = Panel(vcf);
  MutablePanel panel = reader->StartContig();
  EXPECT_EQ(panel.num_markers(), 0u);
  EXPECT_TRUE(reader->ReadUntil(99, panel));
  EXPECT_EQ(panel.num_markers(), 0u);
  EXPECT_TRUE(reader->ReadUntil(300, panel));
  EXPECT_THAT(PositionsOf(panel), ElementsAre(100, 200, 300));
  EXPECT_TRUE(reader->ReadUntil(399, panel));
  EXPECT_EQ(panel.num_markers(), 3u);
  panel.DropBefore(2);
  EXPECT_TRUE(reader->ReadUntil(550, panel));
  EXPECT_THAT(PositionsOf(panel), ElementsAre(300, 400, 500));
  EXPECT_FALSE(reader->ReadUntil(1000, panel)) << "the last record was read";
  EXPECT_EQ(panel.num_markers(), 8u);
  EXPECT_FALSE(reader->ReadUntil(kEnd, panel));
  EXPECT_EQ(panel.num_markers(), 8u);
}

TEST_P(VariantReaderTest, ReadsContigsOneAfterTheOther) {
  auto reader = Panel(VcfText()
                          .Add("1", 500, "A", "C", "0|1 1|0 0|0")
                          .Add("2", 100, "A", "C", "1|1 0|0 0|0")
                          .Add("2", 200, "A", "C", "1|1 0|0 0|0")
                          .Add("X", 50, "A", "C", "0|1 0 0"));
  EXPECT_EQ(reader->NextContig(), "1");
  MutablePanel first = reader->StartContig();
  EXPECT_FALSE(reader->ReadUntil(kEnd, first));
  EXPECT_EQ(RowsOf(first), (Rows{{0, 1, 1, 0, 0, 0}}));
  EXPECT_EQ(reader->NextContig(), "2");
  EXPECT_FALSE(reader->ReadUntil(kEnd, first)) << "records of another contig";
  EXPECT_EQ(first.num_markers(), 1u);
  reader->SkipContig();
  EXPECT_EQ(reader->NextContig(), "X");
  EXPECT_EQ(RowsOf(ReadPanel(*reader)), (Rows{{0, 1, 0, 0}}));
  EXPECT_EQ(reader->NextContig(), std::nullopt);
  EXPECT_THAT(reader->Contigs(), ElementsAre("1", "2", "X"));
}

TEST_P(VariantReaderTest, KnowsTheContigsOfTheHeader) {
  auto reader = Panel(VcfText({"A"}, {"chr20", "weird:name"}).Add("chr20", 1, "A", "C", "0|1"));
  EXPECT_THAT(reader->header_contigs(),
              ElementsAre(testing::Pair("chr20", 1'000'000), testing::Pair("weird:name", 1'000'000)));
}

// Random records over several reads of the file and several threads, and with what the fast path cannot read.
TEST_P(VariantReaderTest, KnowsThatRefIsProvisional) {
  const auto is_unknown = [&](const std::string& id, const std::string& description) {
    VcfText vcf;
    vcf.Declare("##INFO=<ID=" + id + ",Number=0,Type=Flag,Description=\"" + description + "\">");
    return Study(vcf.Add("20", 100, "A", "C", "0|1 1|1 0|0")).header().ref_is_unknown;
  };
  EXPECT_TRUE(is_unknown("PR", "Provisional reference allele, may not be based on real reference genome"));
  EXPECT_FALSE(is_unknown("PR", "Pruned"));
  EXPECT_FALSE(is_unknown("NOTE", "Provisional reference allele"));
}

TEST_P(VariantReaderTest, GivesTheSameWhateverTheThreads) {
  constexpr size_t kSamples = 300, kRecords = 4000;
  std::mt19937 random(4);
  VcfText vcf(SampleNames(kSamples));
  Rows expected;
  for (size_t r = 0; r < kRecords; ++r) {
    std::string genotypes;
    std::vector<int>& row = expected.emplace_back();
    const bool is_odd = random() % 10 == 0;
    for (size_t s = 0; s < kSamples; ++s) {
      const int a = random() % 7 == 0, b = random() % 7 == 0;
      row.insert(row.end(), {a, b});
      genotypes += fmt::format("{}{}{}{} ", a, is_odd && a == b ? '/' : '|', b, is_odd ? ":5" : "");
    }
    vcf.Add("20", static_cast<int64_t>(r + 1), "A", "C", genotypes, is_odd ? "GT:DP" : "GT");
  }
  const std::string path = Write(vcf);
  for (const int threads : {1, 2, 5}) {
    const ScopedThreads scope(threads);
    const auto reader = OpenPanel(path);
    ASSERT_EQ(RowsOf(ReadPanel(*reader)), expected) << threads;
    StudyReader study_reader(path);
    ASSERT_EQ(RowsOf(ReadStudy(study_reader)), expected) << threads;
  }
}

TEST_P(VariantReaderTest, ReadsRecordsLongerThanItsBuffer) {
  const std::string insertion(3'000'000, 'T');
  auto reader = Panel(VcfText()
                          .Add("20", 100, "A", "C", "0|1 1|0 0|0")
                          .Add("20", 200, "A", "A" + insertion, "0|0 1|0 1|0")
                          .Add("20", 300, "A", "C", "1|1 1|0 0|1"));
  const HaplotypePanel panel = ReadPanel(*reader);
  EXPECT_EQ(RowsOf(panel), (Rows{{0, 1, 1, 0, 0, 0}, {0, 0, 1, 0, 1, 0}, {1, 1, 1, 0, 0, 1}}));
  EXPECT_EQ(panel.marker(1).alt, "A" + insertion);
}

VcfText LongContigs() {
  VcfText vcf(SampleNames(20));
  std::string genotypes;
  for (int s = 0; s < 20; ++s) genotypes += "0|1 ";
  for (const char* contig : {"1", "2", "20"}) {
    for (int64_t position = 10; position <= 300'000; position += 10) {
      vcf.Add(contig, position, "A", "C", position % 90 == 0 ? "0/0 " + genotypes.substr(4) : genotypes);
    }
  }
  return vcf;
}

// By reading on where there is no index, by index where one can be.
TEST_P(VariantReaderTest, SeeksARegion) {
  const std::string path = Write(LongContigs());
  for (const bool is_indexed : {false, true}) {
    if (is_indexed) {
      if (GetParam() != FileForm::kBgzip && GetParam() != FileForm::kBcf) continue;
      IndexFile(path);
    }
    const auto reader = OpenPanel(path);
    EXPECT_EQ(reader->NextContig(), "1");
    reader->Seek({"2", 200'001, 200'050});
    EXPECT_EQ(reader->NextContig(), "2");
    MutablePanel panel = reader->StartContig();
    EXPECT_FALSE(reader->ReadUntil(kEnd, panel));
    EXPECT_THAT(PositionsOf(panel), ElementsAre(200'010, 200'020, 200'030, 200'040, 200'050));
    EXPECT_EQ(reader->NextContig(), std::nullopt) << "the file seems to end with the region";

    reader->Seek({"chr20", 299'990, kEnd});
    EXPECT_EQ(reader->NextContig(), "20");
    EXPECT_THAT(PositionsOf(ReadPanel(*reader)), ElementsAre(299'990, 300'000));
    EXPECT_EQ(reader->NextContig(), std::nullopt);
    if (is_indexed) {
      EXPECT_THAT(reader->Contigs(), ElementsAre("1", "2", "20"));
      reader->Seek({"1", 1, 20});  // backwards
      EXPECT_THAT(PositionsOf(ReadPanel(*reader)), ElementsAre(10, 20));
    }

    StudyReader study_reader(path);
    study_reader.Seek({"1", 150'000, 150'010});
    EXPECT_THAT(PositionsOf(ReadStudy(study_reader)), ElementsAre(150'000, 150'010));
    EXPECT_EQ(study_reader.NextContig(), std::nullopt);
    study_reader.Seek({"1", 150'020, 150'030});  // right behind
    EXPECT_THAT(PositionsOf(ReadStudy(study_reader)), ElementsAre(150'020, 150'030));
  }
}

// An autosome 23, as of cattle.
TEST_P(VariantReaderTest, FindsXBeside23) {
  const std::string path = Write(VcfText({"A", "B", "C"}, {"23", "X"})
                                     .Add("23", 100, "A", "C", "0|1 1|0 0|0")
                                     .Add("23", 200, "A", "C", "0|1 1|0 0|0")
                                     .Add("X", 110, "A", "C", "0|1 1|0 0|0"));
  for (const bool is_indexed : {false, true}) {
    if (is_indexed) {
      if (GetParam() != FileForm::kBgzip && GetParam() != FileForm::kBcf) continue;
      IndexFile(path);
    }
    for (const std::string contig : {"X", "23"}) {
      const auto positions = contig == "X" ? std::vector<int64_t>{110} : std::vector<int64_t>{100, 200};
      StudyReader study(path);
      study.Seek({"chr" + contig, 1, kEnd});
      EXPECT_EQ(study.NextContig(), contig);
      EXPECT_EQ(PositionsOf(ReadStudy(study)), positions);
      EXPECT_EQ(study.NextContig(), std::nullopt);
      PanelContigs panel(path);
      EXPECT_EQ(panel.Find(contig), contig);
      EXPECT_EQ(PositionsOf(ReadPanel(panel.reader())), positions);
    }
  }
}

TEST(VariantReader, ReadsLinesFromWindowsAndWithoutALastLineEnd) {
  const TemporaryFolder folder;
  const VcfText vcf = VcfText().Add("20", 100, "A", "C", "0|1 1|0 0|0").Add("20", 200, "A", "C", "0|1 1|0 1|1");
  std::string windows;
  for (const char c : vcf.text()) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const std::string unended = vcf.text().substr(0, vcf.text().size() - 1);
  for (const std::string& text : {windows, unended, vcf.text() + "\n\n"}) {
    WriteFile(folder / "in.vcf", text);
    const auto reader = OpenPanel(folder / "in.vcf");
    EXPECT_THAT(reader->sample_names(), ElementsAre("A", "B", "C"));
    EXPECT_EQ(RowsOf(ReadPanel(*reader)), (Rows{{0, 1, 1, 0, 0, 0}, {0, 1, 1, 0, 1, 1}}));
  }
}

TEST(VariantReader, PassesOverBlankLines) {
  const TemporaryFolder folder;
  const std::string text = VcfText({"A"}).Add("20", 100, "A", "C", "0|1").text() + std::string(3'000'000, '\n') +
                           "20\t200\t.\tA\tC\t.\t.\t.\tGT\t1|0\n";
  WriteFile(folder / "in.vcf", text);
  const auto reader = OpenPanel(folder / "in.vcf");
  EXPECT_EQ(RowsOf(ReadPanel(*reader)), (Rows{{0, 1}, {1, 0}}));
}

TEST(VariantReader, UsesAnOlderIndexOnlyIfItIsOfTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "in.vcf.gz";
  const auto warnings = [&] {
    testing::internal::CaptureStderr();
    const auto reader = OpenPanel(path);
    reader->Seek({"2", 200'001, 200'020});
    EXPECT_THAT(PositionsOf(ReadPanel(*reader)), ElementsAre(200'010, 200'020));
    return testing::internal::GetCapturedStderr();
  };
  WriteVariants(path, LongContigs(), FileForm::kBgzip);
  IndexFile(path);
  std::filesystem::last_write_time(path + ".tbi", std::filesystem::last_write_time(path) - std::chrono::hours(1));
  EXPECT_THAT(warnings(), testing::HasSubstr(path + ".tbi: older than its data file; used, because it fits"));
  EXPECT_EQ(warnings(), "") << "a run that opens a file several times says it once";
  std::filesystem::last_write_time(path + ".tbi",
                                   std::filesystem::last_write_time(path) - std::chrono::milliseconds(500));
  EXPECT_EQ(warnings(), "") << "both were written at once";
  WriteVariants(path, LongContigs().Add("X", 100, "A", "C", "0|1 1|0 0|0"), FileForm::kBgzip);
  std::filesystem::last_write_time(path + ".tbi", std::filesystem::last_write_time(path) - std::chrono::hours(1));
  EXPECT_THAT(warnings(), testing::HasSubstr(path + ".tbi: older than its data file, so it is not used"));
}

TEST(VariantReader, DoesWithoutContigLinesInTheHeader) {
  const TemporaryFolder folder;
  WriteFile(folder / "in.vcf", VcfText({"A"}, {}).Add("20", 100, "A", "C", "0|1").text());
  const auto reader = OpenPanel(folder / "in.vcf");
  EXPECT_EQ(RowsOf(ReadPanel(*reader)), (Rows{{0, 1}}));
}

class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(dup(STDIN_FILENO)) {
    FILE* file = std::fopen(path.c_str(), "r");
    dup2(fileno(file), STDIN_FILENO);
    std::fclose(file);
  }
  ~StandardInput() {
    dup2(saved_, STDIN_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST_P(VariantReaderTest, ReadsAStudyFromStandardInput) {
  const std::string path =
      Write(VcfText().Add("20", 100, "A", "C", "0|1 1|0 0|0").Add("20", 200, "A", "C", "0|1 1|0 1|1"));
  const StandardInput input(path);
  StudyReader reader("-");
  EXPECT_EQ(RowsOf(ReadStudy(reader)), (Rows{{0, 1, 1, 0, 0, 0}, {0, 1, 1, 0, 1, 1}}));
  EXPECT_EQ(reader.NextContig(), std::nullopt);
}

}  // namespace
}  // namespace haplospin
