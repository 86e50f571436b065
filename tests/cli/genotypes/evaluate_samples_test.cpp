// Which samples haplospin evaluate scores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/golden.h"
#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

namespace haplospin {
namespace {

using testing::HasSubstr;

using Names = std::vector<std::string>;

class EvaluateSamplesTest : public testing::Test {
 protected:
  // A file of golden/ with some of its samples, in this order.
  std::string Subset(const std::string& file, const Names& samples, const std::string& name) {
    constexpr size_t kFixedColumns = 9;
    std::istringstream lines(Contents(file));
    std::ofstream out(folder_ / name);
    std::vector<std::string> header;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("##")) {
        out << line << "\n";
        continue;
      }
      std::istringstream text(line);
      std::vector<std::string> cells;
      for (std::string cell; std::getline(text, cell, '\t');) cells.push_back(cell);
      if (header.empty()) header = cells;
      out << cells[0];
      for (size_t i = 1; i < kFixedColumns; ++i) out << "\t" << cells[i];
      for (const std::string& sample : samples)
        out << "\t" << cells[std::ranges::find(header, sample) - header.begin()];
      out << "\n";
    }
    return folder_ / name;
  }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // All that the command finds, except the names of the files.
  static nlohmann::json Json(const ProgramResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    nlohmann::json json = nlohmann::json::parse(result.out);
    json.erase("truth");
    for (auto& file : json["imputed"]) file.erase("path");
    return json;
  }

  ProgramResult Evaluate(const std::string& truth, const Names& imputed, const Names& more = {}) const {
    Names arguments{"evaluate", "--truth", truth, "--phase", "--json", "-"};
    for (const std::string& file : imputed) {
      arguments.insert(arguments.end(), {"--imputed", (arguments.size() == 6 ? "first=" : "second=") + file});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  }

  const GoldenFolder golden_;
  TemporaryFolder folder_;
};

TEST_F(EvaluateSamplesTest, ThoseThatAllFilesHave) {
  const std::string first = Subset("first.vcf", {"S7", "S5", "S2", "S4"}, "first.vcf");
  const std::string second = Subset("second.vcf", {"S2", "S3", "S4", "S5"}, "second.vcf");
  const std::string truth = Subset("truth.vcf", {"S1", "S2", "S3", "S4", "S5"}, "truth.vcf");
  const std::string populations = Write("populations.txt", "S2 P\nS4 Q\nS5 P\n");
  const ProgramResult result =
      Evaluate(truth, {first, second}, {"--populations", populations, "--report", folder_ / "out.html"});
  EXPECT_THAT(result.err, HasSubstr("only the 3 samples that all files have are scored; " + first +
                                    " lacks 2 of the 5 samples of " + truth + ": S1, S3; " + truth +
                                    " lacks 1 of the 4 samples of " + first + ": S7; " + second +
                                    " lacks 1 of the 5 samples of " + truth + ": S1\n"));
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(Contents(folder_ / "out.html"), HasSubstr("3 samples, "));
  const nlohmann::json json = Json(result);
  EXPECT_EQ(json["samples"], 3);

  const ProgramResult shared = Evaluate(Subset("truth.vcf", {"S2", "S4", "S5"}, "truth.shared.vcf"),
                                        {Subset("first.vcf", {"S2", "S4", "S5"}, "first.shared.vcf"),
                                         Subset("second.vcf", {"S2", "S4", "S5"}, "second.shared.vcf")},
                                        {"--populations", populations});
  EXPECT_EQ(shared.err, "");
  EXPECT_EQ(json, Json(shared));
}

TEST_F(EvaluateSamplesTest, ThoseOfAFile) {
  const std::string names = Write("names.txt", "S5\r\nS2\n\nS4\n");
  const ProgramResult result = Evaluate("truth.vcf", {"first.vcf", "second.vcf"}, {"--samples", names});
  EXPECT_EQ(result.err, "");
  const std::string truth = Subset("truth.vcf", {"S2", "S4", "S5"}, "truth.vcf");
  EXPECT_EQ(Json(result), Json(Evaluate(truth, {"first.vcf", "second.vcf"})));
}

TEST_F(EvaluateSamplesTest, TablesHaveNoOthers) {
  const std::string names = Write("names.txt", "S5\nS2\n");
  const ProgramResult result = RunProgram(
      {"evaluate", "--truth", "truth.vcf", "--imputed", "first.vcf", "--samples", names, "--per-sample", "-"});
  EXPECT_THAT(result.out, testing::ContainsRegex("^imputed\tsample[^\n]*\nfirst\tS2\t[^\n]*\nfirst\tS5\t[^\n]*\n$"));
}

TEST_F(EvaluateSamplesTest, WrongNamesAreErrors) {
  const auto expect_error = [&](const std::string& truth, const Names& more, const std::string& message) {
    ExpectRefused(Evaluate(truth, {"first.vcf"}, more), {message});
  };
  const std::string few = Subset("truth.vcf", {"S1", "S2"}, "few.vcf");
  expect_error(few, {"--samples", Write("names.txt", "S2\nS3\n")},
               few + ": does not have 1 of the 2 samples of --samples: S3; give names");
  expect_error("truth.vcf", {"--samples", Write("names.txt", "S2\nS2 P\n")}, "truth.vcf: does not have 1 of the 2");
  expect_error("truth.vcf", {"--samples", Write("names.txt", "\n")}, "names.txt: empty; expected a sample name per");
  expect_error("truth.vcf", {"--samples", "absent.txt"},
               "absent.txt: cannot open: No such file or directory; expected a file of sample names");
  expect_error("truth.vcf", {"--samples", Write("names.txt", "S5\nS2\n"), "--populations", Write("of.txt", "S2 P\n")},
               "of.txt: 1 of the 2 samples are missing: S5");
}

}  // namespace
}  // namespace haplospin
