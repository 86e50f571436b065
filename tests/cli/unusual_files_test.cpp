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

TEST_F(UnusualFilesTest, LigateTellsWhatOneFileLacks) {
  const std::vector<Record> all = Snvs();
  std::vector<Record> first(all.begin(), all.begin() + 30), second(all.begin() + 10, all.end());
  second.erase(second.begin() + 15);  // on its own side of the cut
  second.erase(second.begin() + 3);   // on that of the first
  const std::string a = Write("a.vcf", ReadFile(WriteStudyOf(first))),
                    b = Write("b.vcf", ReadFile(WriteStudyOf(second)));
  EXPECT_THAT(Concat({"--ligate", a, b}).err,
              AllOf(HasSubstr("b.vcf: 1 record in the overlap with " + a), HasSubstr("(first: 20:35000) not written"),
                    HasSubstr("39 of the 58 records of 2 files")));
}

TEST_F(UnusualFilesTest, ConcatSaysThatSamplesDiffer) {
  const ProgramResult result = Concat({WriteStudy({}), WritePanel({})});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("p.vcf: has 60 samples and " + (in_ / "s.vcf") + " has 30"));
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
}

TEST_F(UnusualFilesTest, AContigNeedNotBeDeclared) {
  WritePanel({});
  for (const std::string declared : {"chr20", "21"}) {
    Write("s.vcf", Replaced(ReadFile(WriteStudy({})), "ID=20>", "ID=" + declared + ">"));
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
  const ProgramResult result = RunImpute();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("20:20500: ID has the control character 0x00"));
  EXPECT_EQ(Concat({in_ / "s.vcf"}).exit_code, 2);
}

// A horse has 31 pairs of autosomes.
TEST_F(UnusualFilesTest, ChrSetTellsWhichContigsAreAutosomes) {
  for (const bool has_line : {false, true}) {
    for (const std::string name : {"p.vcf", "s.vcf"}) {
      std::string text = ReadFile(name == "p.vcf" ? WritePanel({}) : WriteStudy({}));
      text = Replaced(Replaced(text, "ID=20>", "ID=chr23>"), "\n20\t", "\nchr23\t");
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
}

}  // namespace
}  // namespace haplospin
