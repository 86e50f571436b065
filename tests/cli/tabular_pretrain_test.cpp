// haplospin tabular pretrain, and predictions without a model, as a user runs them.
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

class TabularPretrainTest : public testing::Test {
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

  ProgramResult Pretrain(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"tabular", "pretrain", "--out", folder_ / "network"};
    for (const char* text :
         {"--threads",  "1",  "--width",    "8",  "--depth",       "1", "--heads",  "2", "--inducing-points",   "2",
          "--min-rows", "20", "--max-rows", "30", "--max-columns", "3", "--tables", "2", "--validation-tables", "2",
          "--steps",    "3"}) {
      arguments.emplace_back(text);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
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

TEST_F(TabularPretrainTest, PredictsFromKnownRowsWithoutTraining) {
  const ProgramResult pretrained = Pretrain();
  ASSERT_EQ(pretrained.exit_code, 0) << pretrained.err;
  EXPECT_THAT(pretrained.err, HasSubstr("validation tables: linear fit: "));
  const std::string known = Write("known.csv", Rows(40)), rows = Write("new.csv", Rows(9));
  const ProgramResult predicted = Predict(known, {"--pretrained", folder_ / "network", "--target", "y", "--target",
                                                  "kind", "--id", "name", "--data", rows, "--quantiles", "0.05,0.95"});
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

TEST_F(TabularPretrainTest, TrainsANetworkFurtherOnATable) {
  ASSERT_EQ(Pretrain().exit_code, 0);
  const std::string known = Write("known.csv", Rows(60)), rows = Write("new.csv", Rows(9));
  const auto train = [&](const std::string& model, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"tabular", "train", "--data", known,
                                          "--model", model,   "--out",  folder_ / "out.csv"};
    for (const char* text : {"--target", "kind", "--ignore", "name", "--steps", "4", "--validation-steps", "2"}) {
      arguments.emplace_back(text);
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  };
  ExpectError(train("npt", {"--from", folder_ / "network"}), "--from is for --model gp");
  ExpectError(train("gp", {"--from", folder_ / "network", "--pretrained", folder_ / "network"}),
              "give --pretrained or --from, not both");
  ExpectError(train("gp", {"--from", known}), known);
  const ProgramResult trained = train("gp", {"--from", folder_ / "network"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("haplospin: fine-tuning: validation loss "));
  const ProgramResult predicted =
      RunProgram({"tabular", "predict", "--weights", folder_ / "out.csv", "--data", rows, "--out", folder_ / "p.csv"});
  EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
}

TEST_F(TabularPretrainTest, PredictsWithoutANetwork) {
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

TEST_F(TabularPretrainTest, SaysWhatIsMissing) {
  const std::string known = Write("known.csv", Rows(40));
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--views", "2"}), "--views is for --pretrained");
  ExpectError(
      RunProgram({"tabular", "evaluate", "--data", known, "--target", "y", "--model", "npt", "--pretrained", known}),
      "--pretrained is for --model auto and gp");
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
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--pretrained", known}), known);
  ExpectError(Predict(known, {"--target", "z", "--data", known, "--pretrained", known}), "z");
  ExpectError(Predict(known, {"--target", "y", "--data", known, "--pretrained", known, "--quantiles", "0.5,2"}),
              "'2' is not a number between 0 and 1");
  ExpectError(Predict(Write("few.csv", Rows(4)), {"--target", "y", "--data", known, "--pretrained", known}),
              "at least");
}

TEST_F(TabularPretrainTest, RefusesWhatItCannotTrain) {
  const auto pretrain = [&](const std::string& option, const std::string& value) {
    return RunProgram({"tabular", "pretrain", "--out", folder_ / "network", option, value});
  };
  ExpectError(pretrain("--heads", "3"), "--width 64 is not a multiple of --heads 3");
  ExpectError(pretrain("--min-rows", "500"), "--max-rows 400 is less than --min-rows 500");
  EXPECT_EQ(RunProgram({"npt", "pretrain"}).exit_code, 2);
}

TEST_F(TabularPretrainTest, AModelOfAnotherKindIsNamed) {
  ASSERT_EQ(Pretrain().exit_code, 0);
  const std::string rows = Write("new.csv", Rows(9));
  ExpectError(RunProgram({"tabular", "predict", "--weights", folder_ / "network", "--data", rows}),
              "a pretrained network for tables");
}

}  // namespace
}  // namespace haplospin

#endif
