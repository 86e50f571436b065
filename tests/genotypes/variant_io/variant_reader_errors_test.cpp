// The errors of readers for invalid files. Each message names the file, the record and the sample if there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/scoped_threads.h"
#include "core/temporary_folder.h"
#include "genotypes/variant_io/joining/concat.h"
#include "genotypes/variant_io/reading/panel_reader.h"
#include "genotypes/variant_io/reading/study_reader.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

void ReadPanel(const std::string& path) {
  const auto reader = OpenPanel(path);
  while (reader->NextContig()) {
    MutablePanel panel = reader->StartContig();
    reader->ReadUntil(INT64_MAX, panel);
  }
}

void ReadStudy(const std::string& path) {
  StudyReader reader(path, {.unphased = Unphased::kReject});
  while (reader.NextContig()) {
    StudyGenotypes study = reader.StartContig();
    reader.ReadUntil(INT64_MAX, study);
  }
}

// The last genotype is cut within its record.
TEST(CutLineTest, AnErrorOfALineWithoutANewlineSaysThatItMayBeCut) {
  const TemporaryFolder folder;
  const std::string text =
      VcfText().Add("20", 100, "A", "C", "0/0 0/0 0|1").Add("20", 200, "A", "C", "0/0 0/0 0|1").text();
  for (const FileForm form : {FileForm::kVcf, FileForm::kBgzip}) {
    for (const size_t cut : {3, 2, 8}) {
      const std::string path = folder / "in.vcf.gz";
      WriteText(path, text.substr(0, text.size() - cut), form);
      EXPECT_THAT(ErrorOf([&] { ReadStudy(path); }), AllOf(HasSubstr("20:200"), HasSubstr("it may be cut"))) << cut;
      WriteText(path, text.substr(0, text.size() - cut) + "\n", form);
      EXPECT_THAT(ErrorOf([&] { ReadStudy(path); }), AllOf(HasSubstr("20:200"), Not(HasSubstr("it may be cut"))))
          << cut;
    }
  }
}

class VariantReaderErrorsTest : public testing::Test {
 protected:
  std::string PanelError(const VcfText& vcf) { return ErrorInAllForms(vcf, ReadPanel); }
  std::string StudyError(const VcfText& vcf) { return ErrorInAllForms(vcf, ReadStudy); }

  // The message, without the path it begins with; the same for VCF and BCF.
  std::string ErrorInAllForms(const VcfText& vcf, void (*read)(const std::string&)) {
    std::string message;
    for (const FileForm form : {FileForm::kVcf, FileForm::kBgzip, FileForm::kBcf}) {
      const std::string path = folder_ / (form == FileForm::kBcf ? "in.bcf" : "in.vcf.gz");
      WriteVariants(path, vcf, form);
      for (const int threads : {1, 3}) {
        const ScopedThreads scope(threads);
        const std::string error = ErrorOf([&] { read(path); });
        EXPECT_THAT(error, testing::AnyOf("", StartsWith(path + ": ")));
        const std::string rest = error.empty() ? "" : error.substr(path.size() + 2);
        if (form == FileForm::kVcf && threads == 1) message = rest;
        EXPECT_EQ(rest, message);
      }
    }
    return message;
  }

  std::string ErrorOfBytes(std::string_view bytes) {
    WriteFile(path_, bytes);
    const auto error_with = [&](int threads, void (*read)(const std::string&)) {
      const ScopedThreads scope(threads);
      return ErrorOf([&] { read(path_); });
    };
    const std::string error = error_with(1, ReadPanel);
    EXPECT_THAT(error, StartsWith(path_ + ": "));
    // Threads read ahead, so they notice damage earlier.
    const auto without_place = [](const std::string& text) { return text.substr(0, text.find("after")); };
    EXPECT_EQ(without_place(error_with(2, ReadStudy)), without_place(error));
    return error.substr(std::min(error.size(), path_.size() + 2));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "in.vcf.gz";
};

VcfText Good() { return VcfText().Add("20", 100, "A", "C", "0|1 1|0 0|0").Add("20", 200, "A", "C", "0|1 1|0 0|0"); }

TEST_F(VariantReaderErrorsTest, GoodFilesGiveNone) {
  EXPECT_EQ(PanelError(Good()), "");
  EXPECT_EQ(StudyError(Good()), "");
}

// Nothing tells the phase between two sets, and a panel is taken as phased throughout.
TEST_F(VariantReaderErrorsTest, APanelOfSeveralPhaseSets) {
  const auto error = [&](const std::string& first, const std::string& second, const std::string& third) {
    std::string text = VcfText()
                           .Add("20", 100, "A", "C", first, "GT:PS")
                           .Add("20", 200, "A", "C", second, "GT:PS")
                           .Add("X", 100, "A", "C", third, "GT:PS")
                           .text();
    text.insert(text.find("##FORMAT"), "##FORMAT=<ID=PS,Number=1,Type=Integer,Description=\"Phase set\">\n");
    const std::string vcf = folder_ / "sets.vcf", bcf = folder_ / "sets.bcf";
    WriteText(vcf, text, FileForm::kVcf);
    Concat({.pieces = {vcf}, .out = bcf, .header_lines = {}});
    const std::string message = ErrorOf([&] { ReadPanel(vcf); }), of_bcf = ErrorOf([&] { ReadPanel(bcf); });
    EXPECT_EQ(of_bcf.substr(std::min(of_bcf.size(), bcf.size())), message.substr(std::min(message.size(), vcf.size())));
    return message;
  };
  EXPECT_EQ(error("0|1:100 1|0:100 0|0:.", "0|1:100 0|1:100 0|1:200", "0|1:7 0|1:8 0|1:9"), "");
  EXPECT_EQ(error("0|1:. 1|0:100 0|0:50", "0|1:100 0|1:. 0|1:200", "0|1:7 0|1:8 0|1:9"), "")
      << "genotypes without PS, and PS of homozygotes";
  EXPECT_THAT(
      error("0|1:100 1|0:100 0|0:.", "0|1:100 0|1:200 0|1:200", "0|1:7 0|1:8 0|1:9"),
      HasSubstr("20:200: sample B has the phase sets (PS) 100 and 200, and nothing tells the phase between them; "
                "phase the panel (haplospin phase)"));
}

TEST_F(VariantReaderErrorsTest, NoFile) {
  const std::string none = folder_ / "none.vcf.gz";
  EXPECT_THAT(ErrorOf([&] { ReadPanel(none); }), AllOf(StartsWith(none + ": "), HasSubstr("No such file")));
  EXPECT_THAT(ErrorOf([&] { ReadStudy(none); }), AllOf(StartsWith(none + ": "), HasSubstr("No such file")));
  EXPECT_THAT(ErrorOf([&] { ReadPanel(folder_.path().string()); }), HasSubstr("folder"));
}

TEST_F(VariantReaderErrorsTest, NoVariants) {
  EXPECT_THAT(ErrorOfBytes(""), HasSubstr("the file is empty"));
  EXPECT_THAT(ErrorOfBytes("hello world\n"), HasSubstr("not a VCF or BCF file but"));
  EXPECT_THAT(ErrorOfBytes("#CHROM\tPOS\n"), HasSubstr("not a VCF or BCF file but"));
  EXPECT_THAT(ErrorOfBytes(std::string("\x1f\x8b\x08\x00garbage", 11)), HasSubstr("VCF"));
  EXPECT_THAT(ErrorOfBytes(std::string(5000, '\xff')), HasSubstr("not a VCF or BCF file but"));
  WriteText(path_, "hello\n", FileForm::kBgzip);
  EXPECT_THAT(ErrorOf([&] { ReadPanel(path_); }), HasSubstr("not a VCF or BCF file but"));
}

TEST_F(VariantReaderErrorsTest, NoRecords) {
  EXPECT_EQ(PanelError(VcfText()), "") << "NextContig() says so";
  WriteVariants(path_, VcfText(), FileForm::kBgzip);
  EXPECT_THAT(ErrorOf([&] { OpenPanel(path_)->StartContig(); }), HasSubstr("no record"));
  EXPECT_THAT(ErrorOf([&] { StudyReader(path_).StartContig(); }), HasSubstr("no record"));
}

TEST_F(VariantReaderErrorsTest, HeaderWithoutEnd) {
  EXPECT_THAT(ErrorOfBytes("##fileformat=VCFv4.2\n"), HasSubstr("no #CHROM line"));
  EXPECT_THAT(ErrorOfBytes("##fileformat=VCFv4.2\n20\t100\t.\tA\tC\t.\t.\t.\tGT\t0|1\n"), HasSubstr("no #CHROM line"));
}

TEST_F(VariantReaderErrorsTest, NoSamples) {
  EXPECT_THAT(ErrorOfBytes(VcfText(SampleNames(0)).text()), HasSubstr("has no samples"));
  EXPECT_THAT(
      ErrorOfBytes("##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n20\t1\t.\tA\tC\t.\t.\t.\n"),
      HasSubstr("has no samples"));
}

TEST_F(VariantReaderErrorsTest, SampleTwice) {
  EXPECT_THAT(ErrorOfBytes(VcfText({"A", "B", "A"}).text()), HasSubstr("sample A occurs twice"));
}

TEST_F(VariantReaderErrorsTest, TruncatedFiles) {
  VcfText vcf(SampleNames(40));
  std::string genotypes;
  for (int s = 0; s < 40; ++s) genotypes += s % 3 == 0 ? "0|1 " : "1|0 ";
  for (int64_t position = 1; position < 20'000; ++position) vcf.Add("20", position * 7, "A", "C", genotypes);
  for (const FileForm form : {FileForm::kBgzip, FileForm::kBcf}) {
    path_ = folder_ / (form == FileForm::kBcf ? "in.bcf" : "in.vcf.gz");
    WriteVariants(path_, vcf, form);
    const std::string bytes = ReadFile(path_);
    constexpr size_t kEndBlock = 28;
    EXPECT_THAT(ErrorOfBytes(bytes.substr(0, bytes.size() - kEndBlock)),
                HasSubstr("truncated: the closing BGZF block"));
    EXPECT_THAT(ErrorOfBytes(bytes.substr(0, bytes.size() / 2)), HasSubstr("truncated: the closing BGZF block"));
    // Truncated in the middle, but with a closing block: blocks that do not match.
    const std::string hole = bytes.substr(0, bytes.size() / 2) + bytes.substr(bytes.size() - kEndBlock);
    EXPECT_THAT(ErrorOfBytes(hole), HasSubstr("truncated or damaged after 20:"));
    // A damaged byte.
    std::string damaged = bytes;
    damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 0x55);
    EXPECT_THAT(ErrorOfBytes(damaged), HasSubstr("damaged"));
  }
  path_ = folder_ / "plain.vcf.gz";
  WriteVariants(path_, vcf, FileForm::kGzip);
  const std::string gzip = ReadFile(path_);
  EXPECT_THAT(ErrorOfBytes(gzip.substr(0, gzip.size() / 2)), HasSubstr("truncated or damaged after 20:"));
  path_ = folder_ / "plain.bcf";
  WriteVariants(path_, vcf, FileForm::kBcfUncompressed);
  const std::string bcf = ReadFile(path_);
  EXPECT_THAT(ErrorOfBytes(bcf.substr(0, bcf.size() / 2)), HasSubstr("truncated or damaged after 20:"));
}

TEST_F(VariantReaderErrorsTest, TruncatedText) {
  const std::string text = Good().text();
  EXPECT_THAT(ErrorOfBytes(text.substr(0, text.size() - 9)),
              AllOf(HasSubstr("20:200: "), HasSubstr("genotypes of 1 sample, but the header has 3")));
  EXPECT_THAT(ErrorOfBytes(text.substr(0, text.size() - 15)), HasSubstr("20:200: fewer than the ten columns"));
  EXPECT_THAT(ErrorOfBytes(text.substr(0, text.rfind("20\t200") + 4)), HasSubstr("after 20:100: "));
}

TEST_F(VariantReaderErrorsTest, BadPosition) {
  EXPECT_THAT(ErrorOfBytes(Good().AddLine("20\tx\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|1\t0|1").text()),
              HasSubstr("after 20:200: \"x\" is not a position"));
}

// BCF would store it as another position, and code that steps along the contig would not come to an end.
TEST_F(VariantReaderErrorsTest, PositionsBeyondTheLimitOfBcf) {
  for (const std::string position : {"2147483648", "1000000000000000", "9223372036854775807", "-1"}) {
    EXPECT_THAT(ErrorOfBytes(Good().AddLine("20\t" + position + "\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|1\t0|1").text()),
                HasSubstr("after 20:200: \"" + position + "\" is not a position in bp"));
  }
}

TEST_F(VariantReaderErrorsTest, TrailingTabInTheHeader) {
  std::string text = Good().text();
  text.insert(text.find('\n', text.find("#CHROM")), "\t");
  EXPECT_THAT(ErrorOfBytes(text), HasSubstr("a sample name in the #CHROM line is empty"));
}

TEST_F(VariantReaderErrorsTest, ContigNamesThatNoHeaderCanHold) {
  for (const std::string name : {"a,b", "<a>", "a b", "\"a\""}) {
    EXPECT_THAT(ErrorOfBytes(Good().AddLine(name + "\t300\t.\tA\tC\t.\t.\t.\tGT\t0|1\t0|1\t0|1").text()),
                HasSubstr("after 20:200: the contig name \"" + name + "\" is invalid"));
  }
}

TEST_F(VariantReaderErrorsTest, IndexThatIsCut) {
  for (const bool is_bcf : {false, true}) {
    VcfText vcf;
    for (int64_t position = 1; position < 3000; ++position) vcf.Add("20", 300 * position, "A", "C", "0|1 1|0 0|0");
    path_ = folder_ / (is_bcf ? "cut.bcf" : "cut.vcf.gz");
    WriteVariants(path_, vcf, is_bcf ? FileForm::kBcf : FileForm::kBgzip);
    IndexFile(path_);
    const std::string index = path_ + (is_bcf ? ".csi" : ".tbi");
    const std::string bytes = ReadFile(index);
    for (const size_t length : {bytes.size() - 28, bytes.size() / 2, size_t{40}, size_t{10}, size_t{0}}) {
      WriteFile(index, bytes.substr(0, length));
      EXPECT_THAT(ErrorOf([&] { OpenPanel(path_)->Contigs(); }),
                  HasSubstr(index + ": damaged, or not a CSI or TBI index"));
    }
  }
}

// HTSlib seeks to where the index points, which is beyond the end or within a block of this file.
TEST_F(VariantReaderErrorsTest, IndexOfAnotherFile) {
  VcfText small, large;
  for (int64_t position = 1; position < 20; ++position) small.Add("20", 50'000 * position, "A", "C", "0|1 1|0 0|0");
  for (int64_t position = 1; position < 30000; ++position) large.Add("20", 33 * position, "A", "C", "0|1 1|0 0|0");
  const std::string other = folder_ / "other.bcf";
  path_ = folder_ / "panel.bcf";
  WriteVariants(path_, small, FileForm::kBcf);
  WriteVariants(other, large, FileForm::kBcf);
  IndexFile(other);
  std::filesystem::copy_file(other + ".csi", path_ + ".csi");
  EXPECT_THAT(ErrorOf([&] {
                OpenPanel(path_)->Seek({"20", 900'000, INT64_MAX});
              }),
              HasSubstr(path_ + ".csi: damaged, or not the index of " + path_));
}

TEST_F(VariantReaderErrorsTest, Unsorted) {
  const VcfText vcf = Good().Add("20", 150, "A", "C", "0|1 1|0 0|0");
  EXPECT_THAT(PanelError(vcf), AllOf(StartsWith("20:150: comes after position 200"), HasSubstr("sort")));
  EXPECT_THAT(StudyError(vcf), StartsWith("20:150: comes after position 200"));
}

TEST_F(VariantReaderErrorsTest, ContigTwice) {
  const VcfText vcf = Good().Add("X", 10, "A", "C", "0|1 1|0 0|0").Add("20", 300, "A", "C", "0|1 1|0 0|0");
  EXPECT_THAT(PanelError(vcf), AllOf(StartsWith("20:300: contig 20 appears again after contig X"), HasSubstr("sort")));
  EXPECT_THAT(StudyError(vcf), StartsWith("20:300: contig 20 appears again after contig X"));
}

TEST_F(VariantReaderErrorsTest, Unphased) {
  VcfText vcf = Good().Add("20", 300, "A", "C", "0/0 1/0 0/1");
  for (int64_t position = 301; position < 3000; ++position) vcf.Add("20", position, "A", "C", "0|1 0/1 1/1");
  const auto matcher =
      AllOf(StartsWith("20:300: sample B has the unphased genotype 1/0, one of 2701; "), HasSubstr("phase"));
  EXPECT_THAT(PanelError(vcf), matcher);
  EXPECT_THAT(StudyError(vcf), matcher);
  EXPECT_THAT(StudyError(Good().Add("20", 300, "A", "C", "0|0 1/. 0|1")),
              HasSubstr("sample B has the unphased genotype 1/."));
}

// A genotype that comes after the first markers would be lost.
TEST_F(VariantReaderErrorsTest, LateGenotypesOnY) {
  VcfText vcf({"S1", "S2", "S3"}, {"Y"});
  for (int64_t position = 1; position <= 60'000; ++position) vcf.Add("Y", position, "A", "C", "0 . 1");
  EXPECT_EQ(StudyError(vcf), "");
  EXPECT_THAT(StudyError(vcf.Add("Y", 60'001, "A", "C", "0 1 1")),
              AllOf(StartsWith("Y:60001: sample S2 has a genotype here, but none at the first markers of the contig"),
                    HasSubstr("--sex")));
}

TEST_F(VariantReaderErrorsTest, MissingInPanel) {
  EXPECT_THAT(PanelError(Good().Add("20", 300, "A", "C", "0|0 0|1 .|.")),
              AllOf(StartsWith("20:300: sample C has a missing allele, the first of 2 (11 % of the alleles, at 1 of 3 "
                               "records); "),
                    HasSubstr("panel must not have missing genotypes"), HasSubstr("--impute-missing")));
  EXPECT_THAT(
      PanelError(Good().Add("20", 300, "A", "C", "0|0 ./. .|.")),
      StartsWith("20:300: sample B has a missing allele, the first of 4 (22 % of the alleles, at 1 of 3 records"));
  EXPECT_THAT(
      PanelError(Good().Add("20", 300, "A", "C", "0|0 .|1 1|1")),
      StartsWith("20:300: sample B has a missing allele, the first of 1 (5.6 % of the alleles, at 1 of 3 records"));
  EXPECT_THAT(
      PanelError(Good().Add("20", 300, "A", "C,G", "0|0 . 1|2")),
      StartsWith("20:300: sample B has a missing allele, the first of 1 (5.9 % of the alleles, at 1 of 3 records"));
  // Those of later records count, up to one with another error.
  VcfText later = Good().Add("20", 300, "A", "C", "0|0 .|1 1|1").Add("20", 400, "A", "C", ".|. .|1 1|1");
  EXPECT_THAT(PanelError(later),
              StartsWith("20:300: sample B has a missing allele, the first of 4 (17 % of the alleles, "
                         "at 2 of 4 records)"));
  EXPECT_THAT(PanelError(later.Add("20", 350, "A", "C", ".|. .|1 1|1")), HasSubstr("at 2 of the first 4 records)"));
  EXPECT_EQ(StudyError(Good().Add("20", 300, "A", "C", "0|0 .|1 .|.")), "");
}

TEST_F(VariantReaderErrorsTest, NoGenotypes) {
  const VcfText vcf = Good().Add("20", 300, "A", "C", "5 5 5", "DP");
  EXPECT_THAT(PanelError(vcf), StartsWith("20:300: no GT among its FORMAT fields"));
  EXPECT_THAT(StudyError(vcf), StartsWith("20:300: no GT among its FORMAT fields; remove the record"));
  const auto remedy = [&](const std::string& values, const std::string& format) {
    return StudyError(VcfText().Add("20", 300, "A", "C", values + " " + values + " " + values, format));
  };
  EXPECT_THAT(remedy("0,9,90", "PL"), HasSubstr("give --likelihoods PL"));
  EXPECT_THAT(remedy("9:2,0", "DP:AD"), HasSubstr("give --likelihoods AD"));
  WriteFile(folder_ / "local.vcf", VcfText({"A"}).Add("20", 300, "A", "C", "1:0,9,90", "LAA:LPL").text());
  EXPECT_THAT(ErrorOf([&] { ReadStudy(folder_ / "local.vcf"); }), HasSubstr("--LXX-to-XX"));
  EXPECT_THAT(remedy("0.9,0.1,0", "GP"), HasSubstr("--gp-to-gt"));
}

TEST_F(VariantReaderErrorsTest, AlleleBeyondAlt) {
  EXPECT_THAT(StudyError(Good().Add("20", 300, "A", "C", "0|0 0|2 0|0")),
              StartsWith("20:300: sample B has allele 2, but the record has 1 ALT"));
  EXPECT_THAT(PanelError(Good().Add("20", 300, "A", "C,G", "3|0 0|2 0|0")),
              StartsWith("20:300: sample A has allele 3, but the record has 2 ALT"));
}

TEST_F(VariantReaderErrorsTest, TooManyAlleles) {
  EXPECT_THAT(PanelError(Good().Add("20", 300, "A", "C", "0|0 0|1|1 0|0")),
              StartsWith("20:300: sample B has 3 alleles"));
}

TEST_F(VariantReaderErrorsTest, PloidyChanges) {
  VcfText vcf = Good().Add("20", 300, "A", "C", "0|0 1 0|0");
  const auto fewer =
      AllOf(StartsWith("20:300: sample B has one allele here, but two at position 100"), HasSubstr("split"));
  EXPECT_THAT(PanelError(vcf), fewer);
  EXPECT_THAT(StudyError(vcf), fewer);
  vcf = VcfText()
            .Add("X", 100, "A", "C", "0 1 0|1")
            .Add("X", 200, "A", "C", "0 1 0|1")
            .Add("X", 300, "A", "C", "0|0 1 0|1");
  const auto more = StartsWith("X:300: sample A has two alleles here, but one at position 100");
  EXPECT_THAT(PanelError(vcf), more);
  EXPECT_THAT(StudyError(vcf), more);
}

TEST_F(VariantReaderErrorsTest, OtherPloidyOnAnotherContigIsFine) {
  const VcfText vcf = Good().Add("X", 300, "A", "C", "0|0 1 0|0");
  EXPECT_EQ(PanelError(vcf), "");
  EXPECT_EQ(StudyError(vcf), "");
}

TEST_F(VariantReaderErrorsTest, RegionWithoutRecords) {
  const VcfText vcf = Good().Add("X", 300, "A", "C", "0|1 1|0 0|0");
  for (const FileForm form : {FileForm::kVcf, FileForm::kBgzip, FileForm::kBcf}) {
    path_ = folder_ / (form == FileForm::kBcf ? "in.bcf" : form == FileForm::kVcf ? "in.vcf" : "in.vcf.gz");
    WriteVariants(path_, vcf, form);
    for (const bool is_indexed : {false, true}) {
      if (is_indexed && form == FileForm::kVcf) continue;
      if (is_indexed) IndexFile(path_);
      EXPECT_THAT(ErrorOf([&] {
                    OpenPanel(path_)->Seek({"7", 1, INT64_MAX});
                  }),
                  StartsWith(path_ + ": no records of contig 7; it has records of 20, X"));
      EXPECT_THAT(ErrorOf([&] {
                    StudyReader(path_).Seek({"20", 110, 190});
                  }),
                  StartsWith(path_ + ": no records in 20:110-190"));
      EXPECT_THAT(ErrorOf([&] {
                    StudyReader(path_).Seek({"20", 5000, INT64_MAX});
                  }),
                  StartsWith(path_ + ": no records of contig 20 from 5000 on; "));
    }
  }
}

TEST_F(VariantReaderErrorsTest, DamagedIndex) {
  WriteVariants(path_, Good(), FileForm::kBgzip);
  WriteFile(path_ + ".tbi", "nothing of the kind");
  EXPECT_THAT(ErrorOf([&] {
                OpenPanel(path_)->Seek({"20", 1, INT64_MAX});
              }),
              StartsWith(path_ + ".tbi: damaged, or not a CSI or TBI index"));
}

}  // namespace
}  // namespace haplospin
