// haplospin tabular predict without a model, as a user runs it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/temporary_folder.h"

#ifdef HAPLOSPIN_HAS_TORCH

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

class TabularPredictTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  static std::string Rows(int rows) {
    std::string text = "name,x,color,y,kind\n";
    for (int i = 0; i < rows; ++i) {
      text += "r" + std::to_string(i) + "," + std::to_string(i % 7 - 3) + ".5," + (i % 3 == 0 ? "red" : "blue") + "," +
              std::to_string(100 + i * 13 % 17) + ".25," + (i % 7 > 3 ? "large" : "small") + "\n";
    }
    return text;
  }

  ProgramResult Predict(const std::string& context, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"tabular", "predict", "--context", context, "--out", folder_ / "out.csv"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  }

  void ExpectError(const ProgramResult& result, const std::string& message) const {
    EXPECT_EQ(result.exit_code, 2) << message << result.err;
    EXPECT_THAT(result.err, HasSubstr("haplospin: error: "));
    EXPECT_THAT(result.err, HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out.csv"));
  }

  const TemporaryFolder folder_;
};

TEST_F(TabularPredictTest, PredictsFromKnownRowsWithoutTraining) {
  const std::string known = Write("known.csv", Rows(40)), rows = Write("new.csv", Rows(9));
  const ProgramResult predicted =
      Predict(known, {"--target", "y", "--target", "kind", "--id", "name", "--data", rows, "--quantiles", "0.05,0.95"});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  std::istringstream lines(Contents(folder_ / "out.csv"));
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "name,y,y_sd,y_q0.05,y_q0.95,kind,kind=large,kind=small");
  int count = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(line.substr(0, line.find(',')), "r" + std::to_string(count++));
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 7);
  }
  EXPECT_EQ(count, 9);
}

TEST_F(TabularPredictTest, FindsASimpleRule) {
  const std::string known = Write("known.csv", Rows(60)), rows = Write("new.csv", Rows(20));
  const ProgramResult predicted = Predict(known, {"--target", "kind", "--ignore", "name", "--data", rows});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  std::istringstream lines(Contents(folder_ / "out.csv")), truth(Contents(rows));
  std::string line, row;
  int right = -1;  // the header has "kind" in both
  while (std::getline(lines, line) && std::getline(truth, row)) {
    right += line.substr(0, line.find(',')) == row.substr(row.rfind(',') + 1) ? 1 : 0;
  }
  EXPECT_EQ(right, 20);
}

// Known rows of a length in cm and a weight, and new rows of them.
TEST_F(TabularPredictTest, NewRowsThatAreNotAsTheKnownOnesAreNamed) {
  const auto rows = [&](const std::string& name, double unit, bool has_weight, int count) {
    std::string text = "cm,kg,y\n";
    for (int i = 0; i < count; ++i) {
      text += std::to_string(unit * (150 + i * 7 % 41)) + "," + (has_weight ? std::to_string(50 + i * 5 % 37) : "") +
              "," + std::to_string(i * 7 % 41 + i % 3) + ".5\n";
    }
    return Write(name, text);
  };
  const std::string known = rows("known.csv", 1, true, 60);
  const auto warnings = [&](const std::string& data) { return Predict(known, {"--target", "y", "--data", data}).err; };
  EXPECT_THAT(warnings(rows("same.csv", 1, true, 20)), Not(HasSubstr("warning")));
  EXPECT_THAT(warnings(rows("inch.csv", 0.01, true, 20)), HasSubstr("column 'cm' is from 1.5 to "));
  EXPECT_THAT(warnings(rows("empty.csv", 1, false, 20)), HasSubstr("column 'kg' is empty in every row"));
}

TEST_F(TabularPredictTest, DatesArePredictedAsDates) {
  std::string text = "x,y\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},2021-{:02}-{:02}\n", i, 1 + i / 28, 1 + i % 28);
  const ProgramResult result =
      Predict(Write("known.csv", text), {"--target", "y", "--quantiles", "0.9", "--data", Write("new.csv", "x\n10\n")});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(Contents(folder_ / "out.csv"), testing::ContainsRegex("\n2021-01-1[0-2][^,]*,[0-9.e-]+,2021-01-1"));
}

TEST_F(TabularPredictTest, TheNameOfAModelNeedsItsWeights) {
  const std::string known = Write("known.csv", Rows(40));
  const ProgramResult result = RunProgram(
      {"npt", "predict", "--context", known, "--target", "y", "--data", known, "--out", folder_ / "out.csv"});
  ExpectError(result, "npt predict needs a model of npt (--weights)");
}

TEST_F(TabularPredictTest, AColumnThatTellsTheTargetIsNamed) {
  std::string text = "alive,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += std::string(i * 13 % 7 < 3 ? "yes" : "no") + "," + std::to_string(i % 11) + "," +
            (i * 13 % 7 < 3 ? "1" : "0") + "\n";
  }
  const std::string known = Write("known.csv", text);
  EXPECT_THAT(Predict(known, {"--target", "y", "--data", known}).err,
              HasSubstr("column 'alive' tells the target 'y' in every row"));
}

TEST_F(TabularPredictTest, SaysWhatIsMissing) {
  const std::string known = Write("known.csv", Rows(40));
  std::string header = "y", row = "\n";
  for (int j = 0; j < 700; ++j) header += ",x" + std::to_string(j);
  for (int i = 0; i < 30; ++i) {
    row += std::to_string(i) + ".5";
    for (int j = 0; j < 700; ++j) row += "," + std::to_string((i * (j + 3)) % 11) + ".5";
    row += "\n";
  }
  ExpectError(RunProgram({"tabular", "evaluate", "--data", Write("wide.csv", header + row), "--target", "y", "--model",
                          "gp", "--numeric", "y"}),
              "Gaussian processes take at most 500 columns; give another --model");
  ExpectError(RunProgram({"tabular", "predict", "--data", known}),
              "give --weights with a model file of train, or --context");
  ExpectError(Predict(known, {"--data", known}), "give --weights with a model file of train, or --context");
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--weights", known}), "without a model");
  ExpectError(Predict(known, {"--ignore", "x", "--data", known, "--weights", known}),
              "--ignore is for predictions without");
  ExpectError(Predict(known, {"--target", "z", "--data", known}), "z");
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--quantiles", "0.5,2"}),
              "'2' is not a number between 0 and 1");
  ExpectError(Predict(Write("few.csv", Rows(4)), {"--target", "y", "--data", known}), "at least");
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--pretrained", known}), "--pretrained");
}

}  // namespace
}  // namespace haplospin

#endif
