// A genome in one command: files that are named by contig, and runs that go on where they were interrupted.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
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

  // The header lines of the contigs and the records, of a file with or without genotypes.
  static std::string Contents(const std::string& path) {
    const ProgramResult text = RunProgram({"concat", "--out", "-", path});
    EXPECT_EQ(text.exit_code, 0) << text.err;
    std::string contents;
    for (std::istringstream lines(text.out); !lines.eof();) {
      std::string line;
      std::getline(lines, line);
      if (!line.starts_with("##") || line.starts_with("##contig=")) contents += line + '\n';
    }
    return contents;
  }

  std::vector<std::string> Records() const {
    std::vector<std::string> records;
    for (const std::string contig : {"20", "21", "22"}) records.push_back(Contents(Output(contig)));
    return records;
  }

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

// As a shell gives them for study.*.vcf.
TEST_F(GenomeRunTest, SeveralFilesOfAnOption) {
  ASSERT_EQ(Run().exit_code, 0);
  const std::vector<std::string> expected = Records();
  const ProgramResult result = RunProgram(
      {"impute", "--ref", in_ / "panel.chr22.vcf", in_ / "panel.chr20.vcf", in_ / "panel.chr21.vcf", "--target",
       in_ / "study.chr20.vcf", "--target", in_ / "study.chr21.vcf", in_ / "study.chr22.vcf", "--map",
       in_ / "map.chr20.txt", in_ / "map.chr21.txt", in_ / "map.chr22.txt", "--out", out_ / "imputed.{contig}.vcf.gz"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(Records(), expected);
}

// The contigs of panel and study may be in other files, and one file may have several.
TEST_F(GenomeRunTest, OneOutputIsThatOfOneFileEach) {
  const auto join = [&](const std::string& name, const std::vector<std::string>& files) {
    std::vector<std::string> arguments{"concat", "--out", in_ / name};
    for (const std::string& file : files) arguments.push_back(in_ / file);
    EXPECT_EQ(RunProgram(arguments).exit_code, 0);
    return std::string(in_ / name);
  };
  const std::string panel = join("panel.vcf", {"panel.chr20.vcf", "panel.chr21.vcf", "panel.chr22.vcf"});
  const std::string study = join("study.vcf", {"study.chr20.vcf", "study.chr21.vcf", "study.chr22.vcf"});
  const std::string two = join("two.vcf.gz", {"panel.chr21.vcf", "panel.chr22.vcf"});
  const auto impute = [&](std::vector<std::string> arguments, const std::string& name) {
    arguments.insert(arguments.begin(), "impute");
    arguments.insert(arguments.end(), {"--out", out_ / name, "--write-index", "--sites-out", out_ / ("sites." + name)});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  for (const std::string extension : {"vcf.gz", "bcf"}) {
    const std::string one = "one." + extension, all = "all." + extension;
    impute({"--ref", panel, "--target", study}, one);
    const std::string err = impute({"--ref", in_ / "panel.chr20.vcf", two, "--target", in_ / "study.chr22.vcf",
                                    in_ / "study.chr21.vcf", in_ / "study.chr20.vcf"},
                                   all);
    EXPECT_THAT(err, HasSubstr(all + ": 3 contigs joined"));
    EXPECT_TRUE(std::filesystem::exists(out_ / (all + (extension == "bcf" ? ".csi" : ".tbi"))));
    EXPECT_FALSE(std::filesystem::exists(out_ / (all + ".parts")));
    for (const std::string& prefix : {std::string(), std::string("sites.")}) {
      EXPECT_EQ(Contents(out_ / (prefix + all)), Contents(out_ / (prefix + one)));
    }
  }
}

TEST_F(GenomeRunTest, OneOutputGoesOn) {
  const std::string out = out_ / "all.bcf";
  ASSERT_EQ(Run({"--out", out, "--write-index"}).exit_code, 0);
  const std::string expected = ReadFile(out);
  const auto resume = [&] { return Run({"--out", out, "--write-index", "--resume"}); };
  EXPECT_THAT(resume().err, HasSubstr("all.bcf: complete"));
  std::filesystem::remove(out);
  std::filesystem::create_directories(out + ".parts/22.bcf");  // where the run ends
  EXPECT_EQ(resume().exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(out));
  std::filesystem::remove(out + ".parts/22.bcf");
  EXPECT_THAT(resume().err, HasSubstr("3 contigs, 2 kept from an earlier run"));
  EXPECT_EQ(ReadFile(out), expected);
}

// A run that ended after the name of the output, and before what follows.
TEST_F(GenomeRunTest, WhatFollowsTheOutputIsMadeToo) {
  const std::string out = out_ / "all.bcf", sites = out_ / "sites.vcf.gz";
  const auto resume = [&] { return Run({"--out", out, "--sites-out", sites, "--write-index", "--resume"}); };
  ASSERT_EQ(resume().exit_code, 0);
  const std::string expected = ReadFile(sites + ".tbi");
  std::filesystem::create_directories(out + ".parts");
  Write("study", "");
  std::filesystem::rename(in_ / "study", out + ".parts/21.bcf");
  EXPECT_THAT(resume().err, HasSubstr("all.bcf: complete"));
  EXPECT_FALSE(std::filesystem::exists(out + ".parts"));
  std::filesystem::remove(sites + ".tbi");
  EXPECT_EQ(resume().exit_code, 0);
  EXPECT_EQ(ReadFile(sites + ".tbi"), expected);
}

TEST_F(GenomeRunTest, OneProcessWritesAnOutput) {
  const std::string out = out_ / "all.bcf";
  std::filesystem::create_directories(out + ".parts");
  const int other = open((out + ".parts").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(other, LOCK_EX), 0);
  EXPECT_THAT(Run({"--out", out}).err, HasSubstr("all.bcf: another process writes it"));
  close(other);
  EXPECT_EQ(Run({"--out", out}).exit_code, 0);
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

// A run of one file each goes on too; its output says what it was made from.
TEST_F(GenomeRunTest, OneContigGoesOn) {
  const std::string out = out_ / "one.bcf";
  const auto run = [&](const std::string& seed) {
    const ProgramResult result = RunProgram({"impute", "--ref", in_ / "panel.chr20.vcf", "--target",
                                             in_ / "study.chr20.vcf", "--out", out, "--resume", "--seed", seed});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(run("1"), Not(HasSubstr("complete")));
  const std::string expected = ReadFile(out);
  EXPECT_THAT(run("1"), HasSubstr("one.bcf: complete"));
  EXPECT_THAT(run("2"), HasSubstr("one.bcf: of other inputs or settings; made again"));
  run("1");
  EXPECT_EQ(ReadFile(out), expected);
  const std::string text = RunProgram({"concat", "--out", "-", out}).out;
  EXPECT_THAT(text, HasSubstr("##haplospin_inputs=sha256:"));
}

// What does not change the output may be another in a run that goes on.
TEST_F(GenomeRunTest, OtherThreadsGoOn) {
  ASSERT_EQ(Run({"--threads", "2", "--quiet"}).exit_code, 0);
  const std::vector<std::string> expected = Outputs();
  std::filesystem::remove(Output("21"));
  const ProgramResult result = Run({"--resume", "--threads=1", "--log", out_ / "log"});
  EXPECT_THAT(result.err, HasSubstr("2 kept from an earlier run"));
  EXPECT_EQ(Outputs(), expected);
}

// What a contig lacks ends the run before the first one.
TEST_F(GenomeRunTest, AllContigsAreCheckedFirst) {
  const auto expect = [&](const std::vector<std::string>& options, const std::string& message) {
    ExpectRefused(Run(options), {message});
    EXPECT_EQ(out_.NumFiles(), 0u);
  };
  Write("two.txt", "20 . 0 1\n20 . 1 1000000\n22 . 0 1\n22 . 1 1000000\n");
  expect({"--map", in_ / "two.txt"}, "two.txt: no row for contig 21; it has rows for 20, 22");
  Write("one.txt", "position rate(cM/Mb) map(cM)\n1 1 0\n1000000 1 1.2\n");
  expect({"--map", in_ / "one.txt"}, "one.txt: has no column of contigs, so that nothing tells whether it is of 20 or");
  for (const std::string contig : {"20", "22"}) std::filesystem::create_directories(in_ / ("of" + contig));
  expect({"--out", in_ / "of{contig}/imputed.vcf.gz"}, "create the folder first");
  EXPECT_TRUE(std::filesystem::is_empty(in_ / "of20"));
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

// Lists are settings, whatever their names.
TEST_F(GenomeRunTest, OtherSamplesAreNotKept) {
  const std::vector<std::string>& names = study_.names;
  const std::vector<std::string> options{"--resume", "--samples", in_ / "samples"};
  Write("samples", names[0] + "\n" + names[1] + "\n");
  ASSERT_EQ(Run(options).exit_code, 0);
  EXPECT_THAT(Run(options).err, HasSubstr("3 kept from an earlier run"));
  Write("samples", names[0] + "\n" + names[2] + "\n");
  EXPECT_THAT(Run(options).err, Not(HasSubstr("kept from an earlier run")));
}

TEST_F(GenomeRunTest, PhaseDoesTheSame) {
  const ProgramResult result = Run({}, "phase");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const std::string& output : Outputs()) EXPECT_FALSE(output.empty());
  EXPECT_THAT(result.err, HasSubstr("3 contigs: 93 typed markers, in 0:0"));
}

// The names of the options are those of no file.
TEST_F(GenomeRunTest, NoInputIsReplaced) {
  const std::string study = ReadFile(in_ / "study.chr20.vcf");
  for (const std::string name : {"study.chr{contig}.vcf", "panel.chr{contig}.vcf", "map.chr{contig}.txt"}) {
    ExpectRefused(Run({"--out", in_ / name, "--output-type", "v"}), {"given as input and as output"});
  }
  EXPECT_EQ(ReadFile(in_ / "study.chr20.vcf"), study);
}

TEST_F(GenomeRunTest, InvalidInput) {
  const auto expect = [&](const std::vector<std::string>& options, const std::string& message) {
    ExpectRefused(Run(options), {message});
  };
  expect({"--out", out_ / "all.bgen"}, "all.bgen: contigs that are in different files are joined in a VCF or BCF file");
  expect({"--out", "-"}, "-: contigs that are in different files are joined in a VCF or BCF file");
  expect({"--out", out_ / "none/all.vcf"}, "create the folder first");
  expect({"--ref", in_ / "none.chr{contig}.vcf"}, "none.chr{contig}.vcf: no file has such a name");
  expect({"--ref", in_ / "{contig}/panel.vcf"}, "{contig} must be in the name of the file, once");
  expect({"--region", "20"}, "--region is one contig");
  expect({"--sites-out", out_ / "sites.vcf"}, "--out and --sites-out must both have {contig} in their names");
  expect({"--resume", "--out", out_ / "{contig}.bgen"}, "--resume needs VCF or BCF output");
  std::filesystem::remove(in_ / "map.chr21.txt");
  expect({}, "map.chr{contig}.txt: has no file of contig 21; add it");
  Write("study.chrchr20.vcf", "");
  expect({}, "are both contig 20; keep one of the files");
  const auto expect_one = [&](const std::string& target, const std::string& out, const std::string& message) {
    ExpectRefused(RunProgram({"impute", "--ref", panel_path_, "--target", target, "--resume", "--out", out,
                              "--output-type", "v"}),
                  {message});
  };
  expect_one(study_path_, "-", "--resume needs an output that is a file, which - is not");
  expect_one(study_path_, "/dev/null", "--resume needs an output that is a file");
  expect_one("-", out_ / "one.vcf", "read twice");
}

TEST_F(GenomeRunTest, InvalidSeveralFiles) {
  const auto expect = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "impute");
    arguments.insert(arguments.end(), {"--out", out_ / "all.vcf.gz"});
    ExpectRefused(RunProgram(arguments), {message});
    EXPECT_TRUE(std::filesystem::is_empty(out_.path()));
  };
  const auto in = [&](const std::string& name) { return std::string(in_ / name); };
  const std::string panel = in("panel.chr20.vcf"), study = in("study.chr20.vcf");
  const std::string other = Write("other.vcf", StudyVcf("20").text());
  expect({"--ref", panel, "--target", study, other},
         study + " and " + other + " are both contig 20; join them (bcftools");
  expect({"--ref", panel, panel, "--target", study}, "are both contig 20; keep one of them");
  expect({"--ref", panel, in("panel.chr{contig}.vcf"), "--target", study},
         "give a name with {contig}, or several files");
  expect({"--ref", panel, in("panel.chr21.vcf"), "--target", study, in("study.chr21.vcf"), "--map", in("map.chr20.txt"),
          in("map.chr22.txt")},
         "has no file of contig 21; add it");
  const std::string rate = Write("rate.txt", "pos cM\n1 0\n1000000 1\n");
  expect({"--ref", panel, "--target", study, "--map", rate, in("map.chr20.txt")}, "rate.txt: has no column of contigs");
  expect({"--ref", in("panel.chr21.vcf"), in("panel.chr22.vcf"), "--target", study}, "has none of the contigs of");
  std::string renamed = StudyVcf("21").text();
  const size_t sample = renamed.find("\t" + study_.names[0], renamed.find("#CHROM"));
  renamed.insert(sample + 1, "Z");
  expect({"--ref", panel, in("panel.chr21.vcf"), "--target", study, Write("renamed.vcf", renamed)},
         "renamed.vcf: has other samples than the other studies");
  EXPECT_EQ(RunProgram({"check", "--ref", panel, "--target", study, other}).exit_code, 2);
}

}  // namespace
}  // namespace haplospin
