#include "genotypes/variant_io/joining/concat.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "core/temporary_folder.h"
#include "genotypes/variant_io/variant_file.h"
#include "genotypes/variant_io/variant_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

constexpr const char* kFields =
    "##INFO=<ID=AF,Number=A,Type=Float,Description=\"f\">\n##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"i\">\n"
    "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"d\">\n";
// The same in another order, so that BCF numbers them otherwise.
constexpr const char* kFieldsTurned =
    "##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"d\">\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
    "##INFO=<ID=IMP,Number=0,Type=Flag,Description=\"i\">\n##INFO=<ID=AF,Number=A,Type=Float,Description=\"f\">\n";

std::string Header(const std::string& fields = kFields, const std::string& samples = "a\tb",
                   const std::string& contigs = "##contig=<ID=20,length=1000>\n##contig=<ID=21>\n") {
  return "##fileformat=VCFv4.2\n" + contigs + fields + "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" +
         samples + "\n";
}

std::string Record(int64_t position, const std::string& contig = "20") {
  return fmt::format("{}\t{}\trs{}\tA\tC\t.\tPASS\tAF=0.25;IMP\tGT:DS\t0|1:0.5\t0|0:{}\n", contig, position, position,
                     static_cast<double>(position % 4) / 4);
}

class ConcatTest : public testing::Test {
 protected:
  // BCF, VCF.gz or VCF by the file name extension.
  std::string Make(const std::string& name, const std::string& text) {
    const std::string path = folder_ / name;
    if (!name.ends_with(".bcf")) {
      WriteText(path, text, name.ends_with(".gz") ? FileForm::kBgzip : FileForm::kVcf);
      return path;
    }
    WriteText(path + ".vcf", text, FileForm::kVcf);
    Concat({.pieces = {path + ".vcf"}, .out = path, .header_lines = {}});
    std::filesystem::remove(path + ".vcf");
    return path;
  }

  std::string Records(const std::string& path) const {
    const std::string text = folder_ / "text.vcf";
    Concat({.pieces = {path}, .out = text, .header_lines = {}});
    const std::string vcf = ReadFile(text);
    std::filesystem::remove(text);
    return vcf.substr(vcf.find('\n', vcf.find("#CHROM")) + 1);
  }

  std::string ErrorFor(const std::vector<std::string>& pieces) {
    const size_t files = folder_.NumFiles();
    const std::string error =
        ErrorOf([&] { Concat({.pieces = pieces, .out = folder_ / "out.bcf", .header_lines = {}}); });
    EXPECT_EQ(folder_.NumFiles(), files);
    return error;
  }

  const TemporaryFolder folder_;
};

// Enough records for several compressed blocks in each file.
TEST_F(ConcatTest, PiecesMakeTheWholeInEveryForm) {
  std::string all, thirds[3];
  for (int i = 0; i < 9000; ++i) {
    const std::string record = Record(100 + i / 2);
    all += record;
    thirds[i < 1000 ? 0 : i < 6000 ? 1 : 2] += record;
  }
  for (const std::string form : {".vcf", ".vcf.gz", ".bcf"}) {
    std::vector<std::string> pieces;
    for (int i = 0; i < 3; ++i) pieces.push_back(Make(fmt::format("piece{}{}", i, form), Header() + thirds[i]));
    for (const std::string out : {"out.vcf", "out.vcf.gz", "out.bcf"}) {
      const std::string path = folder_ / out;
      const ConcatCounts counts = Concat({.pieces = pieces, .out = path, .header_lines = {"##made=here"}});
      EXPECT_EQ(counts.records, 9000u);
      EXPECT_EQ(counts.pieces_copied, out == "out" + form && form != ".vcf" ? 3u : 0u) << form << " " << out;
      EXPECT_TRUE(Records(path) == all) << form << " " << out;
    }
  }
}

TEST_F(ConcatTest, CopiedBlocksAreTheSameBytes) {
  std::string first, second;
  for (int i = 0; i < 5000; ++i) first += Record(100 + i);
  for (int i = 5000; i < 9000; ++i) second += Record(100 + i);
  const std::vector<std::string> pieces{Make("1.vcf.gz", Header() + first), Make("2.vcf.gz", Header() + second)};
  Concat({.pieces = pieces, .out = folder_ / "out.vcf.gz", .header_lines = {}});
  const std::string joined = ReadFile(folder_ / "out.vcf.gz");
  for (const std::string& piece : pieces) {
    const std::string bytes = ReadFile(piece);
    ASSERT_GT(bytes.size(), 15'000u);
    EXPECT_NE(joined.find(bytes.substr(bytes.size() / 2, bytes.size() / 2 - 28)), std::string::npos);
  }
}

TEST_F(ConcatTest, FieldsKeepTheirMeaningUnderAnotherHeader) {
  const std::string first = Make("1.bcf", Header(kFields) + Record(1) + Record(2));
  const std::string second = Make("2.bcf", Header(kFieldsTurned) + Record(3));
  const std::string third = Make("3.bcf", Header(kFields) + Record(4));
  const ConcatCounts counts =
      Concat({.pieces = {first, second, third}, .out = folder_ / "out.bcf", .header_lines = {}});
  EXPECT_EQ(counts.pieces_copied, 2u);
  EXPECT_EQ(Records(folder_ / "out.bcf"), Record(1) + Record(2) + Record(3) + Record(4));
}

TEST_F(ConcatTest, FurtherContigsAndFieldsAreDeclared) {
  const std::string first = Make("1.vcf.gz", Header(kFields, "a\tb", "##contig=<ID=20>\n") + Record(1));
  const std::string extra = "##INFO=<ID=NEW,Number=1,Type=Integer,Description=\"n\">\n";
  const std::string second =
      Make("2.vcf.gz", Header(kFields + extra, "a\tb", "##contig=<ID=21>\n") + Record(1, "21") + Record(1, "22"));
  Concat({.pieces = {first, second}, .out = folder_ / "out.bcf", .index = IndexType::kByFormat, .header_lines = {}});
  EXPECT_EQ(Records(folder_ / "out.bcf"), Record(1) + Record(1, "21") + Record(1, "22"));
  VariantFile file(folder_ / "out.bcf");
  EXPECT_THAT(file.IndexedContigs().value(), testing::ElementsAre("20", "21", "22"));
  EXPECT_GE(bcf_hdr_id2int(file.bcf_header(), BCF_DT_ID, "NEW"), 0);
}

// So many that HTSlib moves its table of names.
TEST_F(ConcatTest, UndeclaredInfoFieldsAreKept) {
  std::string info = "AF=0.25";
  for (int k = 0; k < 60; ++k) info += fmt::format(";X{}=1", k);
  const std::string path = Make("1.vcf", Header() + "20\t1\t.\tA\tC\t.\t.\t" + info + "\tGT\t0|0\t0|1\n");
  Concat({.pieces = {path}, .out = folder_ / "out.vcf", .header_lines = {}});
  EXPECT_THAT(Records(folder_ / "out.vcf"), HasSubstr(info));
}

// Names that VCF reserves have its Number and Type also where a header lacks them.
TEST_F(ConcatTest, UndeclaredReservedFieldsAreThoseOfVcf) {
  const std::string path =
      Make("1.vcf",
           "##fileformat=VCFv4.2\n##contig=<ID=20>\n##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
           "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\n"
           "20\t1\t.\tA\tC,G\t.\t.\tAC=1,2;AF=0.25,0.5;AN=4;DB;DP=9;XX=7\tGT\t0|1\n");
  Concat({.pieces = {path}, .out = folder_ / "out.vcf", .header_lines = {}});
  const std::string text = ReadFile(folder_ / "out.vcf");
  for (const char* line : {"AC,Number=A,Type=Integer", "AF,Number=A,Type=Float", "AN,Number=1,Type=Integer",
                           "DB,Number=0,Type=Flag", "DP,Number=1,Type=Integer", "XX,Number=.,Type=String"}) {
    EXPECT_THAT(text, HasSubstr(std::string("##INFO=<ID=") + line + ",")) << line;
  }
  EXPECT_THAT(text, HasSubstr("\tAC=1,2;AF=0.25,0.5;AN=4;DB;DP=9;XX=7\t"));
}

// VCF 4.4 may give the phase of the first allele, which old versions of HTSlib neither read nor write.
class GenotypePrefixTest : public ConcatTest {
 protected:
  static std::string Text(const std::string& version, const std::vector<std::string>& genotypes,
                          int64_t position = 100) {
    std::string header = "##fileformat=VCFv" + version + "\n##contig=<ID=20>\n" + kFields +
                         "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
    std::string record = fmt::format("20\t{}\t.\tA\tC\t.\t.\t.\tGT:DS", position);
    for (size_t s = 0; s < genotypes.size(); ++s) {
      header += fmt::format("\ts{}", s);
      record += fmt::format("\t{}:{}", genotypes[s], s % 2 == 0 ? "0" : "0.5");
    }
    return header + "\n" + record + "\n";
  }

  // The bytes of GT in the only record of an uncompressed BCF, whose genotypes have at most two alleles.
  std::string GenotypeBytes(const std::string& bcf, size_t num_samples) const {
    const std::string bytes = Uncompressed(bcf);
    const std::string begin = {'\x21'};  // a typed array of two int8
    const size_t at = bytes.find(std::string("\x11") + '\x03' + begin, bytes.find("#CHROM"));
    return at == std::string::npos ? "" : bytes.substr(at + 3, 2 * num_samples);
  }
};

const std::vector<std::string> kPrefixed{"|0/1", "/0|1", "1", "/1", "0|1", "0/1", "1|1", ".|.", ".", "|./1"};

TEST_F(GenotypePrefixTest, GoThroughEveryForm) {
  const std::vector<std::string> forms{".vcf", ".vcf.gz", ".bcf"};
  const std::string text = Text("4.4", kPrefixed), records = text.substr(text.find("\n20\t") + 1);
  for (const std::string& in : forms) {
    const std::string path = Make("in" + in, text);
    EXPECT_EQ(Records(path), records) << in;
    for (const std::string& out : forms) {
      Concat({.pieces = {path}, .out = folder_ / ("out" + out), .header_lines = {}});
      EXPECT_EQ(Records(folder_ / ("out" + out)), records) << in << " " << out;
    }
  }
}

// The codes that HTSlib 1.24 writes for the same text: the lowest bit of a first allele is set where it is phased.
TEST_F(GenotypePrefixTest, BitsAreThoseOfNewHtslib) {
  const std::string bytes = GenotypeBytes(Make("a.bcf", Text("4.4", kPrefixed)), kPrefixed.size());
  const std::string expected{3, 4, 2, 5, 5, '\x81', 4, '\x81', 3, 5, 2, 4, 5, 5, 1, 1, 0, '\x81', 1, 4};
  EXPECT_EQ(bytes, expected);
}

// The bits of files of an older version have no meaning.
TEST_F(GenotypePrefixTest, OlderVersionsBesideNewOnes) {
  const std::vector<std::string> plain{"0|1", "0/1", "1", "."}, prefixed{"/0|1", "|0/1", "/1", "."};
  for (const std::string form : {".vcf.gz", ".bcf"}) {
    const std::string older = Make("older" + form, Text("4.2", plain)),
                      newer = Make("newer" + form, Text("4.5", prefixed, 200));
    for (const std::string out : {".vcf", ".vcf.gz", ".bcf"}) {
      Concat({.pieces = {older, newer}, .out = folder_ / ("out" + out), .header_lines = {}});
      EXPECT_EQ(Records(folder_ / ("out" + out)),
                "20\t100\t.\tA\tC\t.\t.\t.\tGT:DS\t0|1:0\t0/1:0.5\t1:0\t.:0.5\n"
                "20\t200\t.\tA\tC\t.\t.\t.\tGT:DS\t/0|1:0\t|0/1:0.5\t/1:0\t.:0.5\n")
          << form << " " << out;
    }
  }
}

TEST_F(GenotypePrefixTest, AnOlderVersionHasNone) {
  EXPECT_THAT(ErrorOf([&] {
                Records(Make("a.vcf", Text("4.3", {"0|1", "|0/1"})));
              }),
              HasSubstr("a.vcf: 20:100 sample s1 has the phase of its first allele in GT \"|0/1\", which the header's "
                        "version does not allow; write ##fileformat=VCFv4.4"));
}

TEST_F(ConcatTest, PiecesWithoutRecordsAddNone) {
  const std::string empty = Make("empty.vcf.gz", Header()), one = Make("one.vcf.gz", Header() + Record(7));
  Concat({.pieces = {empty, one, empty}, .out = folder_ / "out.vcf.gz", .header_lines = {}});
  EXPECT_EQ(Records(folder_ / "out.vcf.gz"), Record(7));
}

TEST_F(ConcatTest, SitesWithoutSamplesAreJoined) {
  const std::string header = "##fileformat=VCFv4.2\n##contig=<ID=20>\n" + std::string(kFields) +
                             "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n";
  const auto site = [](int position) { return fmt::format("20\t{}\t.\tA\tC\t.\tPASS\tAF=0.25;IMP\n", position); };
  for (const std::string form : {".vcf", ".vcf.gz", ".bcf"}) {
    const std::string first = Make("1" + form, header + site(1) + site(2)), second = Make("2" + form, header + site(3));
    for (const std::string out : {"out.vcf", "out.vcf.gz", "out.bcf"}) {
      Concat({.pieces = {first, second}, .out = folder_ / out, .header_lines = {}});
      EXPECT_EQ(Records(folder_ / out), site(1) + site(2) + site(3)) << form << " " << out;
    }
    EXPECT_THAT(ErrorFor({first, Make("samples" + form, Header() + Record(4))}),
                HasSubstr("has 2 samples and " + first + " has 0"));
    EXPECT_THAT(ErrorOf([&] {
                  Concat({.pieces = {first, second}, .out = folder_ / "x.bcf", .ligate = true, .header_lines = {}});
                }),
                HasSubstr("1" + form + ": has no samples, so there is no phase to align"));
  }
  EXPECT_THAT(ErrorFor({Make("columns.vcf", header + "20\t1\t.\tA\tC\t.\tPASS\t.\tGT\t0|1\n")}),
              HasSubstr("columns.vcf: 20:1 has 10 columns, but the header has 8"));
  EXPECT_THAT(ErrorFor({Make("cut.vcf", header + "20\n")}), HasSubstr("cut.vcf: first record: \"\" is not a position"));
}

// Copied as they are, the first would be glued to the next record, and the others would pass into the output.
TEST_F(ConcatTest, OnlyPlainLinesAreCopied) {
  const std::string next = Make("next.vcf.gz", Header() + Record(30) + Record(40));
  const std::string cut = Header() + Record(10) + Record(20);
  EXPECT_THAT(ErrorFor({Make("cut.vcf.gz", cut.substr(0, cut.size() - 1)), next}),
              HasSubstr("cut.vcf.gz: the last line does not end with a newline"));
  EXPECT_THAT(ErrorFor({Make("short.vcf.gz", Header() + Record(10) + "20\t20\t.\tA\tC\t.\t.\t.\tGT\t0|1\n"), next}),
              HasSubstr("short.vcf.gz: 20:20 has 10 columns, but the header has 11"));
  std::string carriage_returns = cut;
  for (size_t at = 0; (at = carriage_returns.find('\n', at)) != std::string::npos; at += 2) {
    carriage_returns.replace(at, 1, "\r\n");
  }
  for (const std::string& text : {carriage_returns, Header() + Record(10) + "\n" + Record(20) + "\n\n"}) {
    const std::string piece = Make("piece.vcf.gz", text);
    const ConcatCounts counts = Concat({.pieces = {piece, next}, .out = folder_ / "out.vcf.gz", .header_lines = {}});
    EXPECT_EQ(counts.records, 4u);
    EXPECT_EQ(counts.pieces_copied, 1u);
    EXPECT_EQ(Records(folder_ / "out.vcf.gz"), Record(10) + Record(20) + Record(30) + Record(40));
  }
}

TEST_F(ConcatTest, PiecesThatDoNotFitAreNamed) {
  const std::string first = Make("1.vcf.gz", Header() + Record(10) + Record(20));
  const auto with = [&](const std::string& name, const std::string& text) {
    return ErrorFor({first, Make(name, text)});
  };
  EXPECT_THAT(with("overlap.vcf.gz", Header() + Record(20)),
              HasSubstr("overlap.vcf.gz: begins at 20:20, but " + first + " ends at 20:20"));
  EXPECT_THAT(with("unsorted.vcf.gz", Header() + Record(40) + Record(30)),
              HasSubstr("unsorted.vcf.gz: 20:30 comes after 20:40"));
  EXPECT_THAT(with("again.vcf.gz", Header() + Record(1, "21") + Record(50)), HasSubstr("but 20 ended before"));
  EXPECT_THAT(with("fewer.vcf", Header(kFields, "a") + "20\t30\t.\tA\tC\t.\t.\t.\tGT\t0|0\n"),
              HasSubstr("fewer.vcf: has 1 sample and " + first + " has 2"));
  EXPECT_THAT(with("turned.vcf.gz", Header(kFields, "b\ta") + Record(30)),
              HasSubstr("turned.vcf.gz: sample 1 is b, but a"));
  std::string fields = kFields;
  fields.replace(fields.find("Number=A,Type=Float,Description=\"d\""), 8, "Number=1");
  EXPECT_THAT(with("type.vcf.gz", Header(fields) + Record(30)),
              HasSubstr("type.vcf.gz: declares FORMAT/DS with another Number or Type"));
  EXPECT_THAT(with("position.vcf", Header() + "20\tx\t.\tA\tC\t.\t.\t.\tGT\t0|0\t0|0\n"),
              HasSubstr("position.vcf: first record: \"x\" is not a position"));
  EXPECT_THAT(with("undeclared.vcf", Header() + "20\t30\t.\tA\tC\t.\t.\t.\tGT:XX\t0|0:1\t0|0:1\n"),
              HasSubstr("undeclared.vcf: 20:30 has XX in FORMAT, which the header does not declare"));
  EXPECT_THAT(ErrorFor({first, folder_ / "absent.bcf"}), HasSubstr("absent.bcf: cannot open"));
}

TEST_F(ConcatTest, ContigsOfOtherNamesOrLengthsAreNamed) {
  const std::string first = Make("1.vcf.gz", Header() + Record(10));
  const auto with = [&](const std::string& contigs, const std::string& contig) {
    const std::string second = Make("2.bcf", Header(kFields, "a\tb", contigs) + Record(20, contig));
    return ErrorOf([&] { Concat({.pieces = {first, second}, .out = folder_ / "out.bcf", .header_lines = {}}); });
  };
  const std::string chr20 = "##contig=<ID=chr20,length=1000>\n";
  EXPECT_THAT(with(chr20, "chr20"), HasSubstr("2.bcf: contig chr20 is 20 in the files before it; rename it"));
  EXPECT_THAT(with("##contig=<ID=20,length=990>\n", "20"),
              HasSubstr("2.bcf: contig 20 has 990 bp, but 1000 in the files before it"));
  EXPECT_EQ(with("##contig=<ID=20>\n", "20"), "");
  EXPECT_EQ(with("##contig=<ID=20,length=1000>\n" + chr20, "chr20"), "") << "of another species";
}

TEST_F(ConcatTest, DamagedPiecesAreNamed) {
  std::string records;
  for (int i = 1; i < 3000; ++i) records += Record(i);
  for (const std::string name : {"damaged.vcf.gz", "damaged.bcf"}) {
    const std::string path = Make(name, Header() + records);
    std::string bytes = ReadFile(path);
    WriteFile(path, std::string_view(bytes).substr(0, bytes.size() - 40));
    EXPECT_THAT(ErrorFor({path}), HasSubstr(name + ": truncated"));
    bytes[bytes.size() / 2] ^= 0x55;
    WriteFile(path, bytes);
    EXPECT_THAT(ErrorFor({path}), HasSubstr(name + ": truncated or damaged"));
  }
}

// What is copied without decoding is looked at: bcftools would refuse it.
TEST_F(ConcatTest, DamagedSampleColumnsAreNotCopied) {
  const std::string first = Make("1.vcf.gz", Header() + Record(10));
  const auto error = [&](const std::string& genotypes, const std::string& format = "GT:DS") {
    const std::string line = "20\t30\t.\tA\tC\t.\t.\t.\t" + format + "\t" + genotypes + "\n";
    return ErrorFor({first, Make("2.vcf.gz", Header() + Record(20) + line)});
  };
  EXPECT_THAT(error("0|x:0\t0|0:0"), HasSubstr("2.vcf.gz: 20:30 sample a has \"0|x\" in GT"));
  EXPECT_THAT(error("0|1:0.5\t0|0:0.2b"), HasSubstr("20:30 sample b has \"0.2b\" in DS"));
  for (const std::string genotype : {"0|2", "0||1", "", "0|", "0a", "-1|0", "1e0"}) {
    EXPECT_THAT(error("0|0:1\t" + genotype + ":0"), HasSubstr("20:30 sample b has \"" + genotype + "\" in GT"));
  }
  for (const std::string dosage : {"", "0,x", "--1", "1.2.3", "e"}) {
    EXPECT_THAT(error("0|0:" + dosage + "\t0|0:0"), HasSubstr("in DS"));
  }
  EXPECT_THAT(error("0|0:1:2\t0|0:1"), HasSubstr("20:30 sample a has more values than the 2 of FORMAT"));
  EXPECT_THAT(error("0|0:1\t0|0:1", "GT:DX"), HasSubstr("20:30 has DX in FORMAT, which the header does not declare"));
  const std::string line = "20\t30\t.\tA\tC\t.\t.\t.\tGT:DS\t";
  for (const std::string genotypes : {"0|0:1e-3\t.:.", "./.\t0:-0.5", "0/1:nan\t1|0:.", "0/1\t1:2"}) {
    const std::string second = Make("2.vcf.gz", Header() + Record(20) + line + genotypes + "\n");
    EXPECT_EQ(ErrorOf([&] {
                Concat({.pieces = {first, second}, .out = folder_ / "out.vcf.gz", .header_lines = {}});
              }),
              "")
        << genotypes;
  }
}

}  // namespace
}  // namespace haplospin
