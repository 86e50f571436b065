// Panels of other programs are the panel of the VCF with the same haplotypes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/temporary_folder.h"
#include "core/zstd_frame.h"
#include "genotypes/variant_io/foreign_panels.h"
#include "genotypes/variant_io/reading/completed_panel.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/variant_files.h"
#include "haplospin/errors.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

// Contig, samples, and each marker with its alleles, as text.
std::string Content(PanelReader& reader, bool with_ids = true) {
  std::string text = fmt::format("{}\n", fmt::join(reader.sample_names(), " "));
  while (reader.NextContig()) {
    MutablePanel panel = reader.StartContig();
    while (reader.ReadUntil(INT64_MAX, panel)) {
    }
    for (size_t m = 0; m < panel.num_markers(); ++m) {
      const Marker& marker = panel.marker(m);
      text += fmt::format("{}:{} {} {} {} ", panel.contig(), marker.position, with_ids ? marker.id : "", marker.ref,
                          marker.alt);
      for (size_t h = 0; h < panel.num_haplotypes(); ++h) text += std::to_string(panel.allele(m, h));
      text += fmt::format(" {}\n", fmt::join(panel.samples().first_haplotype, ","));
    }
  }
  return text;
}

std::string Content(const std::string& path, bool with_ids = true) { return Content(*OpenPanel(path), with_ids); }

class PanelSourceTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& bytes) const {
    WriteFile(folder_ / name, bytes);
    return folder_ / name;
  }
  void WriteOxford(const ForeignPanel& panel) const {
    Write("p.legend", panel.Legend());
    Write("p.sample", panel.Sample());
    Write("p.hap", panel.Hap());
  }

  TemporaryFolder folder_;
};

TEST_F(PanelSourceTest, MissingAllelesAreTold) {
  auto panel = ForeignPanel::Random(40, 41, false, 3);
  size_t num_missing = 0;
  for (size_t i = 0; i < panel.records.size(); ++i) {
    for (size_t h = i % 7; h < 80 && i % 5 == 2; h += 17, ++num_missing) panel.records[i].alleles[h] = -1;
  }
  Write("p.vcf", panel.Vcf());
  Write("p.msav", panel.CompressedMsav());
  WriteOxford(panel);
  std::string expected;
  for (const char* name : {"p.vcf", "p.msav", "p.hap"}) {
    EXPECT_THAT(ErrorOf([&] { Content(folder_ / name); }),
                HasSubstr(fmt::format("has a missing allele, the first of {} (", num_missing)))
        << name;
    CompletedPanel completed(OpenPanel(folder_ / name, PanelHaplotypes::kReadMissing));
    const std::string content = Content(completed, false);
    if (expected.empty()) expected = content;
    EXPECT_EQ(content, expected) << name;
    EXPECT_EQ(completed.counts().missing, num_missing) << name;
  }
}

TEST_F(PanelSourceTest, UnphasedAllelesOfHapAreNamed) {
  Write("x.sample", "ID_1 ID_2 missing\n0 0 0\nS0 S0 0\nS1 S1 0\n");
  EXPECT_THAT(
      ErrorOf([&] { Content(Write("x.haps", "20 rs1 5 A C 0 1 0* 1*\n")); }),
      testing::AllOf(HasSubstr("line 1: sample S1 has the unphased genotype \"0*\""), HasSubstr("haplospin phase")));
}

TEST_F(PanelSourceTest, EveryFormatIsThePanelOfItsVcf) {
  for (const size_t samples : {1, 31, 32, 33, 70}) {
    const auto panel = ForeignPanel::Random(samples, 41, false, static_cast<unsigned>(samples));
    const std::string expected = Content(Write("p.vcf", panel.Vcf()));
    EXPECT_EQ(Content(Write("p.bref3", panel.Bref3())), expected);
    EXPECT_EQ(Content(Write("p.usav", panel.Msav())), expected);
    EXPECT_EQ(Content(Write("p.msav", panel.CompressedMsav())), expected);
    EXPECT_EQ(Content(Write("p.m3vcf", panel.M3vcf(1))), expected);
    EXPECT_EQ(Content(Write("p2.m3vcf", panel.M3vcf(2))), expected);
    WriteOxford(panel);
    EXPECT_EQ(Content(folder_ / "p.hap", false), Content(folder_ / "p.vcf", false));
  }
}

TEST_F(PanelSourceTest, SeveralAltsAreMarkersOfTheirOwn) {
  const auto panel = ForeignPanel::Random(20, 60, true, 7);
  EXPECT_EQ(Content(Write("p.bref3", panel.Bref3())), Content(Write("p.vcf", panel.Vcf())));
}

TEST_F(PanelSourceTest, RegionsAndSamples) {
  const auto panel = ForeignPanel::Random(20, 60, false, 8);
  Write("p.vcf", panel.Vcf());
  for (const std::string& path : {Write("p.bref3", panel.Bref3()), Write("p.msav", panel.Msav())}) {
    const auto part = OpenPanel(path, {"S3", "S11"}), of_vcf = OpenPanel(folder_ / "p.vcf", {"S3", "S11"});
    part->Seek({"chr20", 1105, 1300});
    of_vcf->Seek({"chr20", 1105, 1300});
    EXPECT_EQ(Content(*part), Content(*of_vcf));
    EXPECT_THAT(ErrorOf([&] { OpenPanel(path)->Seek({"21"}); }), HasSubstr("no records of contig 21"));
  }
}

TEST_F(PanelSourceTest, HaploidSamples) {
  const std::string m3vcf =
      "##fileformat=M3VCF\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tA_HAP_1\tB_HAP_1\tB_HAP_2\n"
      "X\t5-9\t<BLOCK:0-1>\t.\t.\t.\t.\tVARIANTS=2;REPS=2\t.\t0\t1\t0\n"
      "X\t5\t.\tA\tC\t.\t.\t.\t01\nX\t9\t.\tA\tC\t.\t.\t.\t10\n";
  const std::string expected = "A B\nX:5 . A C 010 0,1,3\nX:9 . A C 101 0,1,3\n";
  EXPECT_EQ(Content(Write("x.m3vcf", m3vcf)), expected);
  Write("x.sample", "ID_1 ID_2 missing\n0 0 0\nA A 0\nB B 0\n");
  EXPECT_EQ(Content(Write("x.haps", "X . 5 A C 0 - 1 0\nX . 9 A C 1 - 0 1\n")), expected);
}

// IMPUTE2 writes --- for the contig of what it imputed.
TEST_F(PanelSourceTest, HapsWithoutContigs) {
  Write("chr7.sample", "ID_1 ID_2 missing\n0 0 0\na a 0\nb b 0\n");
  const std::string expected = Content(Write("chr7.haps", "7 rs1 5 A C 0 1 1 0\n7 7:9:A:C 9 A C 1 0 0 1\n"));
  EXPECT_EQ(Content(Write("chr7.haps", "--- rs1 5 A C 0 1 1 0\n--- 7:9:A:C 9 A C 1 0 0 1\n")), expected);
  Write("x.sample", "ID_1 ID_2 missing\n0 0 0\na a 0\nb b 0\n");
  EXPECT_EQ(Content(Write("x.haps", "--- 7:5 5 A C 0 1 1 0\n")), Content(Write("x.haps", "7 7:5 5 A C 0 1 1 0\n")));
  EXPECT_THAT(ErrorOf([&] { Content(Write("x.haps", "--- rs1 5 A C 0 1 1 0\n")); }),
              HasSubstr("x.haps: line 1: no contig: IDs begin with CONTIG:POSITION"));
}

TEST_F(PanelSourceTest, TruncatedFilesAreErrors) {
  const auto panel = ForeignPanel::Random(6, 30, true, 9);
  const std::string bref3 = panel.Bref3(), data = bref3.substr(0, bref3.size() - 9);
  for (size_t size = 4; size < data.size(); size += 3) {
    EXPECT_THAT(ErrorOf([&] { Content(Write("p.bref3", data.substr(0, size))); }), HasSubstr("truncated")) << size;
  }
  const auto biallelic = ForeignPanel::Random(6, 30, false, 9);
  const std::string frame = biallelic.CompressedMsav();
  for (size_t size = 5; size < frame.size(); ++size) {
    EXPECT_NE(ErrorOf([&] { Content(Write("p.msav", frame.substr(0, size))); }), "") << size;
  }
  const std::string text = biallelic.M3vcf(1);
  EXPECT_THAT(ErrorOf([&] { Content(Write("p.m3vcf", text.substr(0, text.size() - 60))); }), HasSubstr("line"));
}

TEST_F(PanelSourceTest, FilesThatDoNotBelongTogether) {
  const auto panel = ForeignPanel::Random(6, 30, false, 10);
  const auto error = [&] { return ErrorOf([&] { Content(folder_ / "p.hap"); }); };
  Write("p.hap", panel.Hap());
  EXPECT_THAT(error(), HasSubstr(".sample, is missing"));
  WriteOxford(panel);
  Write("p.sample", panel.Sample() + "0 S6 0\n");
  EXPECT_THAT(error(), HasSubstr("12 haplotypes, but .sample has 7 samples"));
  WriteOxford(panel);
  Write("p.legend", panel.Legend() + "20:5000_A_C 5000 A C\n");
  EXPECT_THAT(error(), HasSubstr("has fewer lines than"));
  WriteOxford(panel);
  Write("p.hap", panel.Hap() + "0 1 0 1 0 1 0 1 0 1 0 1\n");
  EXPECT_THAT(error(), HasSubstr("before the last line of"));
}

TEST_F(PanelSourceTest, OtherVersionsAndFormats) {
  std::string sav = ForeignPanel::Random(3, 5, false, 1).Msav();
  sav[3] = 3;
  EXPECT_THAT(ErrorOf([&] { OpenPanel(Write("p.msav", sav)); }), HasSubstr("SAV of another version than 2"));
  EXPECT_THAT(ErrorOf([&] { OpenPanel(Write("p.msav", CompressFrame("not SAV", 3))); }), HasSubstr("not SAV"));
  std::string m3vcf = ForeignPanel::Random(3, 5, false, 1).M3vcf(1);
  m3vcf.insert(m3vcf.find('\n'), "v3.0");
  EXPECT_THAT(ErrorOf([&] { OpenPanel(Write("p.m3vcf", m3vcf)); }), HasSubstr("M3VCF of another version"));
  EXPECT_THAT(ErrorOf([&] { OpenPanel(Write("p.bref", "an older bref")); }),
              HasSubstr("not Beagle's format of version 3"));
}

TEST_F(PanelSourceTest, AnyDamageEndsWithAnInputErrorOrARead) {
  std::mt19937 random(11);
  const auto panel = ForeignPanel::Random(9, 40, false, 12);
  for (const std::string& whole : {panel.Bref3(), panel.Msav(), panel.M3vcf(1), panel.M3vcf(2)}) {
    for (int trial = 0; trial < 400; ++trial) {
      std::string bytes = whole;
      for (int changes = 0; changes < 3; ++changes) {
        const size_t place = 4 + random() % (bytes.size() - 4);
        random() % 2 == 0 ? void(bytes[place] = static_cast<char>(random()))
                          : void(bytes.erase(place, 1 + random() % 4));
      }
      try {
        Content(Write("p", bytes));
      } catch (const InputError&) {
      }
    }
  }
}

}  // namespace
}  // namespace haplospin
