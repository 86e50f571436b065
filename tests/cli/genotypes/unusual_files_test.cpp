// Files that other programs and hands have changed.
#include <gmock/gmock.h>

#include "cli/founder_files.h"

namespace haplospin {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class UnusualFilesTest : public FounderFiles {
 protected:
  ProgramResult Concat(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"concat", "--out", out_ / "joined.vcf"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram(all);
  }
};

TEST_F(UnusualFilesTest, LigateKeepsWhatOneFileLacks) {
  const std::vector<Record> all = Snvs();
  std::vector<Record> first(all.begin(), all.begin() + 30), second(all.begin() + 10, all.end());
  second.erase(second.begin() + 15);  // on its own side of the cut
  second.erase(second.begin() + 3);   // on that of the first
  const std::string a = Write("a.vcf", ReadFile(WriteStudyOf(first))),
                    b = Write("b.vcf", ReadFile(WriteStudyOf(second)));
  EXPECT_THAT(Concat({"--ligate", a, b}).err,
              AllOf(HasSubstr("b.vcf: 2 records in the overlap with " + a), HasSubstr("(first: 20:23000): written as"),
                    HasSubstr("40 records of 2 files (58 read")));
  EXPECT_EQ(VcfLines(ReadFile(out_ / "joined.vcf")).records.size(), 40u);
}

TEST_F(UnusualFilesTest, ConcatSaysThatSamplesDiffer) {
  ExpectRefused(Concat({WriteStudy({}), WritePanel({})}), {"p.vcf: has 60 samples and " + (in_ / "s.vcf") + " has 30"});
}

TEST_F(UnusualFilesTest, TheFormatsOfAPanelAreNamed) {
  WriteStudy({});
  const std::string text = Write("x.txt", "hello\n");
  EXPECT_THAT(
      Impute({"--ref", text, "--target", in_ / "s.vcf"}).err,
      HasSubstr("x.txt: not a VCF or BCF file but unknown text; expected VCF, VCF.gz or BCF (a study: also BGEN "
                "or PLINK .bed; a panel: also .hsp, .bref3, .msav"));
}

TEST_F(UnusualFilesTest, AnIndexMayEndAfterTheFile) {
  const std::string panel = in_ / "p.bcf";
  ASSERT_EQ(RunProgram({"concat", "--out", panel, "--write-index", panel_path_}).exit_code, 0);
  const VcfLines expected(ImputedText({"--ref", panel}));
  EndIndexAfterTheFile(panel);
  EXPECT_EQ(VcfLines(ImputedText({"--ref", panel})).records, expected.records);
}

TEST_F(UnusualFilesTest, InfoWithoutAHeaderLineIsCopied) {
  std::vector<Record> records = Snvs();
  records[5].info = "NOTE=a;FLAG";
  const ProgramResult result = Concat({WriteStudyOf(records)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("its header does not declare INFO/FLAG, INFO/NOTE"));
  EXPECT_EQ(VcfLines(ReadFile(out_ / "joined.vcf")).At("15000")[kInfo], "NOTE=a;FLAG");
}

TEST_F(UnusualFilesTest, FormatHasAKeyOnce) {
  WritePanel({});
  std::string text = Replaced(ReadFile(WriteStudy({})), "GT\t", "GT:GT\t");
  for (const std::string genotype : {"0|0", "0|1", "1|0", "1|1"}) text = Replaced(text, genotype, genotype + ":./.");
  Write("s.vcf", text);
  EXPECT_THAT(RunImpute().err, HasSubstr("GT twice in FORMAT"));
  EXPECT_EQ(Concat({in_ / "s.vcf"}).exit_code, 2);
  if (!HasBcftools()) return;
  Bcftools("view -Ob -o '" + (in_ / "s.bcf") + "' '" + (in_ / "s.vcf") + "'");
  EXPECT_THAT(Impute({"--ref", in_ / "p.vcf", "--target", in_ / "s.bcf"}).err, HasSubstr("GT twice in FORMAT"));
  EXPECT_THAT(Concat({in_ / "s.bcf"}).err, HasSubstr("GT twice in FORMAT"));
  EXPECT_THAT(RunProgram({"panel", "build", "--panel", in_ / "s.bcf", "--out", out_ / "p.hsp"}).err,
              HasSubstr("GT twice in FORMAT"));
}

TEST_F(UnusualFilesTest, AContigNeedNotBeDeclared) {
  WritePanel({});
  for (const std::string declared : {"chr20", "21"}) {
    Write("s.vcf", Replaced(ReadFile(WriteStudy({})), "ID=20,", "ID=" + declared + ","));
    EXPECT_EQ(Check().exit_code, 0);
    for (const std::string type : {"vcf", "bcf"}) {
      const ProgramResult result = RunImpute({"--out", out_ / ("o." + type)});
      EXPECT_EQ(result.exit_code, 0) << result.err;
    }
    EXPECT_NE(ReadFile(out_ / "o.vcf").find("##contig=<ID=20,"), std::string::npos);
  }
}

TEST_F(UnusualFilesTest, ALaterContigNeedNotBeDeclared) {
  for (const std::string name : {"p.vcf", "s.vcf"}) {
    const std::string text = ReadFile(name == "p.vcf" ? WritePanel({}) : WriteStudy({}));
    Write(name, text + Replaced(text.substr(text.find("\n20\t") + 1), "20\t", "22\t"));
  }
  EXPECT_EQ(Check().exit_code, 0);
  EXPECT_EQ(RunImpute({"--out", out_ / "o.bcf"}).exit_code, 0);
  EXPECT_EQ(Imputed().records.size(), 80u);
}

TEST_F(UnusualFilesTest, AnIdHasNoControlCharacters) {
  WritePanel({});
  Write("s.vcf", Replaced(ReadFile(WriteStudy({{20'500, "rsX", "A", "C"}})), "rsX", std::string("r\0X", 3)));
  ExpectRefused(RunImpute(), {"20:20500: ID has the control character 0x00"});
  EXPECT_EQ(Concat({in_ / "s.vcf"}).exit_code, 2);
}

// A byte order mark, Windows line ends, and no newline at the end.
TEST_F(UnusualFilesTest, MapsAndListsOfOtherSystems) {
  WritePanel({{20'500, "new", "A", "C"}});
  WriteStudy({});
  const std::string map = Write("map.txt",
                                "\xef\xbb\xbf"
                                "20 . 0 1\r\n20 . 0.5 30000\r\n20 . 1 60000");
  const std::string unix = Write("unix.txt", "20 . 0 1\n20 . 0.5 30000\n20 . 1 60000\n");
  const VcfLines expected = Imputed({"--map", unix});
  EXPECT_EQ(Imputed({"--map", map}).records, expected.records);
  const std::string list = Write("list.txt",
                                 "\xef\xbb\xbf"
                                 "20:11000\r\n20 12000");
  EXPECT_THAT(RunImpute({"--exclude-markers", list}).err,
              AllOf(HasSubstr("2 markers excluded"), testing::Not(HasSubstr("has no marker"))));
  const std::string names = Write("names.txt", "\xef\xbb\xbf" + SampleName(0) + "\r\n" + SampleName(1));
  EXPECT_THAT(RunImpute({"--exclude-samples", names}).err, HasSubstr("28 samples"));
  const std::string damaged = Write("nul.txt", std::string("20:11000\0\n", 10));
  EXPECT_THAT(RunImpute({"--exclude-markers", damaged}).err, HasSubstr("has a NUL character"));
}

// A horse has 31 pairs of autosomes.
TEST_F(UnusualFilesTest, ChrSetTellsWhichContigsAreAutosomes) {
  for (const bool has_line : {false, true}) {
    for (const std::string name : {"p.vcf", "s.vcf"}) {
      std::string text = ReadFile(name == "p.vcf" ? WritePanel({}) : WriteStudy({}));
      text = Replaced(text, "\n20\t", "\nchr23\t");
      if (has_line) text = Replaced(text, "##contig", "##chrSet=<autosomePairCt=31,X,Y,MT>\n##contig");
      Write(name, text);
    }
    const std::string fam = Write("sex.fam", "f " + SampleName(0) + " 0 0 1 -9\n");
    const ProgramResult check = Check({"--sex", fam});
    EXPECT_THAT(check.out, HasSubstr(has_line ? "30 diploid, 0 haploid" : "29 diploid, 1 haploid"));
  }
}

TEST_F(UnusualFilesTest, HelpAndVersionAreCommandsToo) {
  EXPECT_EQ(RunProgram({"help", "impute"}).out, RunProgram({"impute", "--help"}).out);
  EXPECT_EQ(RunProgram({"version"}).out, RunProgram({"--version"}).out);
  EXPECT_EQ(RunProgram({"help", "nothing"}).exit_code, 2);
  EXPECT_THAT(RunProgram({"help", "impute"}).out,
              testing::ContainsRegex("no[ \n]+limit, 1G[ \n]+without[ \n]+a[ \n]+panel[ \n]+or[ \n]+with[ "
                                     "\n]+--likelihoods;[ \n]+4G[ \n]+for[ \n]+a[ \n]+SPIN"));
}

}  // namespace
}  // namespace haplospin
