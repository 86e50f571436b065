// A genome in one command: files that are named by contig, and runs that go on where they were interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

class GenomeRunTest : public ImputeFiles {
 protected:
  GenomeRunTest() {
    for (const std::string contig : {"20", "21", "22"}) {
      Write("panel.chr" + contig + ".vcf", PanelVcf(contig).text());
      Write("study.chr" + contig + ".vcf", StudyVcf(contig).text());
      Write("map.chr" + contig + ".txt",
            contig + " . 0 1\n" + contig + " . 1.2 1000000\n" + contig + " . 2.4 2500000\n");
    }
    Write("panel.chr1.vcf.old", "");
  }

  ProgramResult Run(const std::vector<std::string>& options = {}, const std::string& command = "impute") const {
    std::vector<std::string> all{command,
                                 "--ref",
                                 in_ / "panel.chr{contig}.vcf",
                                 "--target",
                                 in_ / "study.chr{contig}.vcf",
                                 "--map",
                                 in_ / "map.chr{contig}.txt",
                                 "--out",
                                 out_ / "imputed.{contig}.vcf.gz"};
    for (size_t i = 0; i < options.size(); ++i) {
      const auto given = std::ranges::find(all, options[i]);
      if (given == all.end()) {
        all.push_back(options[i]);
      } else {
        *(given + 1) = options[++i];
      }
    }
    return RunProgram(all);
  }

  std::string Output(const std::string& contig) const { return out_ / ("imputed." + contig + ".vcf.gz"); }

  std::vector<std::string> Outputs() const {
    std::vector<std::string> contents;
    for (const std::string contig : {"20", "21", "22"}) contents.push_back(ReadFile(Output(contig)));
    return contents;
  }
};

TEST_F(GenomeRunTest, GivesWhatARunForEachContigGives) {
  const ProgramResult result = Run();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("haplospin: 3 contigs: 267 markers imputed, 93 typed, in 0:0"));
  for (const std::string contig : {"20", "21", "22"}) {
    EXPECT_THAT(result.err, HasSubstr("contig " + contig + ", "));
    EXPECT_THAT(result.err, HasSubstr("contig " + contig + ": 89 markers imputed, 31 typed, in 0:0"));
    const ProgramResult one =
        RunProgram({"concat", "--out", "-", Output(contig), Output(contig == "20" ? "21" : "20")});
    const auto records = VcfLines(one.out).records;
    const ProgramResult alone =
        RunProgram({"impute", "--ref", in_ / ("panel.chr" + contig + ".vcf"), "--target",
                    in_ / ("study.chr" + contig + ".vcf"), "--map", in_ / ("map.chr" + contig + ".txt"), "--out", "-"});
    std::vector<std::vector<std::string>> own;
    for (const auto& record : records) {
      if (record[0] == contig) own.push_back(record);
    }
    EXPECT_EQ(own, VcfLines(alone.out).records) << contig;
  }
}

TEST_F(GenomeRunTest, TheStudyMayBeOneFile) {
  std::string study = StudyVcf("20").text();
  const std::string other = StudyVcf("22").text();
  study += other.substr(other.find('\n', other.find("#CHROM")) + 1);
  ASSERT_EQ(Run().exit_code, 0);
  const std::string expected = ReadFile(Output("22"));
  std::filesystem::remove(Output("21"));
  const ProgramResult result = Run({"--target", Write("all.vcf", study)});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("contigs 21 are not imputed"));
  EXPECT_FALSE(std::filesystem::exists(Output("21")));
  EXPECT_TRUE(std::filesystem::exists(Output("22")));
}

TEST_F(GenomeRunTest, ARunGoesOn) {
  ASSERT_EQ(Run().exit_code, 0);
  const std::vector<std::string> expected = Outputs();
  std::filesystem::remove(Output("21"));
  std::filesystem::resize_file(Output("22"), 1000);
  const auto kept = std::filesystem::last_write_time(Output("20"));
  const ProgramResult result = Run({"--resume"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("imputed.20.vcf.gz: complete"));
  EXPECT_THAT(result.err, HasSubstr("3 contigs, 1 kept from an earlier run: 178 markers imputed, 62 typed, in 0:0"));
  EXPECT_THAT(result.err, Not(HasSubstr("contig 20: ")));
  EXPECT_EQ(std::filesystem::last_write_time(Output("20")), kept);
  EXPECT_EQ(Outputs(), expected);
}

TEST_F(GenomeRunTest, OtherInputsAndSettingsAreNotKept) {
  ASSERT_EQ(Run().exit_code, 0);
  std::ofstream(in_ / "map.chr21.txt", std::ios::app) << "21 . 2.5 2600000\n";
  const ProgramResult map = Run({"--resume"});
  EXPECT_THAT(map.err, HasSubstr("imputed.21.vcf.gz: of other inputs or settings; made again"));
  EXPECT_THAT(map.err, HasSubstr("2 kept from an earlier run"));
  const ProgramResult seed = Run({"--resume", "--seed", "2"});
  EXPECT_THAT(seed.err, Not(HasSubstr("kept from an earlier run")));
  EXPECT_EQ(seed.exit_code, 0) << seed.err;
}

TEST_F(GenomeRunTest, PhaseDoesTheSame) {
  const ProgramResult result = Run({}, "phase");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& output : Outputs()) EXPECT_FALSE(output.empty());
}

// The names of the options are those of no file.
TEST_F(GenomeRunTest, NoInputIsReplaced) {
  const std::string study = ReadFile(in_ / "study.chr20.vcf");
  for (const std::string name : {"study.chr{contig}.vcf", "panel.chr{contig}.vcf", "map.chr{contig}.txt"}) {
    const ProgramResult result = Run({"--out", in_ / name, "--output-type", "v"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("given as input and as output")) << name;
  }
  EXPECT_EQ(ReadFile(in_ / "study.chr20.vcf"), study);
}

TEST_F(GenomeRunTest, InvalidInput) {
  const auto expect = [&](const std::vector<std::string>& options, const std::string& message) {
    const ProgramResult result = Run(options);
    EXPECT_EQ(result.exit_code, 2) << message;
    EXPECT_THAT(result.err, HasSubstr(message));
  };
  expect({"--out", out_ / "all.vcf.gz"}, "--out must have {contig} in its name too");
  expect({"--ref", in_ / "none.chr{contig}.vcf"}, "none.chr{contig}.vcf: no file has such a name");
  expect({"--ref", in_ / "{contig}/panel.vcf"}, "{contig} must be in the name of the file, once");
  expect({"--region", "20"}, "--region is one contig");
  expect({"--sites-out", out_ / "sites.vcf"}, "--sites-out must have {contig}");
  expect({"--resume", "--out", out_ / "{contig}.bgen"}, "--resume needs VCF or BCF output");
  std::filesystem::remove(in_ / "map.chr21.txt");
  expect({}, "map.chr{contig}.txt: has no file of contig 21; add it");
  Write("study.chrchr20.vcf", "");
  expect({}, "are both contig 20; keep one of the files");
  const ProgramResult one =
      RunProgram({"impute", "--ref", panel_path_, "--target", study_path_, "--resume", "--out", out_ / "one.vcf"});
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_THAT(one.err, HasSubstr("--resume needs a file for each contig"));
}

}  // namespace
}  // namespace haplospin
