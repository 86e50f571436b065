// haplospin concat, as a user runs it on what haplospin impute --region writes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>

#include "cli/impute_files.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

class ConcatCommandTest : public ImputeFiles {
 protected:
  std::string PathOf(const std::string& name) const { return out_ / name; }

  std::string Piece(const std::string& name, const std::string& region) const {
    const ProgramResult result = Impute({"--out", PathOf(name), "--region", region});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return PathOf(name);
  }
};

TEST_F(ConcatCommandTest, RegionsJoinedAreTheWholeRun) {
  const VcfLines whole(ImputedText());
  const std::string middle = whole.records[50][kPos], before = std::to_string(std::stoll(middle) - 1);
  for (const std::string form : {".vcf.gz", ".bcf"}) {
    const std::string first = Piece("1" + form, "20:1-" + before), second = Piece("2" + form, "20:" + middle + "-");
    const ProgramResult result =
        RunProgram({"concat", "--out", PathOf("joined" + form), "--write-index", first, second});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, HasSubstr("120 records of 2 files, 2 of them copied without decoding"));
    EXPECT_TRUE(std::filesystem::exists(PathOf("joined" + form) + (form == ".bcf" ? ".csi" : ".tbi")));
    const ProgramResult text = RunProgram({"concat", "--out", "-", PathOf("joined" + form)});
    const VcfLines joined(text.out);
    EXPECT_THAT(joined.header, testing::Contains(HasSubstr("##haplospin_concat=")));
    ASSERT_EQ(joined.records.size(), whole.records.size());
    for (size_t r = 0; r < joined.records.size(); ++r) {
      ASSERT_EQ(joined.records[r][kPos], whole.records[r][kPos]);
      for (size_t s = 0; s < 3; ++s) {
        const double dosage = std::stod(Field(whole.records[r], s, "DS"));
        ASSERT_NEAR(std::stod(Field(joined.records[r], s, "DS")), dosage, 0.001) << r;
      }
    }
  }
}

TEST_F(ConcatCommandTest, TheIndexOfVcfIsCsiIfAskedFor) {
  const std::string piece = Piece("1.vcf.gz", "20"), joined = PathOf("joined.vcf.gz");
  ASSERT_EQ(RunProgram({"concat", "--out", joined, "--write-index", "--csi", piece}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(joined + ".csi"));
  EXPECT_FALSE(std::filesystem::exists(joined + ".tbi"));
}

TEST_F(ConcatCommandTest, FilesOfAListAreJoined) {
  const std::string middle = VcfLines(ImputedText()).records[50][kPos];
  const std::string before = std::to_string(std::stoll(middle) - 1);
  for (const std::string name : {"1.bcf", "2.bcf"}) {
    const std::string region = name[0] == '1' ? "20:1-" + before : "20:" + middle + "-";
    ASSERT_EQ(Impute({"--out", PathOf(name), "--region", region, "--sites-only"}).exit_code, 0);
  }
  const std::string list = Write("list.bcf", PathOf("1.bcf") + "\n\n" + PathOf("2.bcf") + "\n");
  const ProgramResult joined = RunProgram({"concat", "-f", list, "--out", "-"});
  EXPECT_EQ(joined.exit_code, 0) << joined.err;
  const VcfLines lines(joined.out);
  EXPECT_EQ(lines.records.size(), 120u);
  EXPECT_EQ(lines.records[0].size(), 8u);

  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"concat", "--file-list", list});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(error({"--out", PathOf("2.bcf")}), HasSubstr("2.bcf: given as input and as output"));
  EXPECT_THAT(error({"--out", list}), HasSubstr("list.bcf: given as input and as output"));
  EXPECT_THAT(error({"--out", "-", PathOf("1.bcf")}), HasSubstr("1.bcf is given beside --file-list"));
  Write("list.bcf", "\n");
  EXPECT_THAT(error({"--out", "-"}), HasSubstr("list.bcf: empty; expected the path of a VCF or BCF file per line"));
}

TEST_F(ConcatCommandTest, TheHeaderSaysWhichRegionItIsOf) {
  const VcfLines vcf(ImputedText({"--region", "20:1000-"}));
  EXPECT_THAT(vcf.header, testing::Contains("##haplospin_region=20:1000-"));
}

TEST_F(ConcatCommandTest, AMissingRegionIsToldOf) {
  const auto records = VcfLines(ImputedText()).records;
  const int64_t second = std::stoll(records[40][kPos]), third = std::stoll(records[80][kPos]);
  const std::string a = Piece("a.bcf", fmt::format("20:1-{}", second - 1));
  const std::string b = Piece("b.bcf", fmt::format("20:{}-{}", second, third - 1));
  const std::string c = Piece("c.bcf", fmt::format("20:{}-", third));
  const auto warnings = [&](std::vector<std::string> arguments, const std::string& out = "joined.bcf") {
    arguments.insert(arguments.begin(), {"concat", "--quiet", "--out", PathOf(out)});
    const ProgramResult result = RunProgram(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.err;
  };
  EXPECT_THAT(warnings({a, c}), HasSubstr(fmt::format("haplospin: warning: 20:{}-{} is missing: {} is of the region up "
                                                      "to {}, and {} of that from {} on\n",
                                                      second, third - 1, a, second - 1, c, third)));
  EXPECT_EQ(warnings({a, b, c}), "");
  EXPECT_EQ(warnings({PathOf("joined.bcf")}, "again.bcf"), "");
}

TEST_F(ConcatCommandTest, WrongUseIsNamed) {
  const std::string piece = Piece("1.vcf.gz", "20");
  const auto expect = [&](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), "concat");
    ExpectRefused(RunProgram(arguments), {message});
    EXPECT_EQ(out_.NumFiles(), 1u) << message;
  };
  expect({"--out", PathOf("x.bcf")}, "concat: PIECE is missing; give files, or a list of them with --file-list");
  expect({piece}, "concat: --out is missing");
  expect({"--out", piece, piece}, "given as input and as output");
  expect({"--out", PathOf("x.vcf"), "--write-index", piece}, "concat: --write-index needs VCF.gz, BCF or BGEN output");
  expect({"--out", PathOf("x.bcf"), piece, piece}, "give the files in order, and files that do not overlap");
  expect({"--out", PathOf("x.bcf"), "-"}, "is read twice, so it cannot be standard input or a pipe");
  const std::string pipe = in_ / "pipe.vcf";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect({"--out", PathOf("x.bcf"), pipe}, "pipe.vcf: is read twice, so it cannot be standard input or a pipe");
  EXPECT_THAT(RunProgram({"concat", "--help"}).out, HasSubstr("Usage: haplospin concat [options] [PIECE...]"));
}

}  // namespace
}  // namespace haplospin
