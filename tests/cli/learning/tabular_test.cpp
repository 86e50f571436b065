// haplospin tabular train|predict|evaluate, as a user runs them, with wrong input too.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/run_program.h"
#include "core/file_contents.h"
#include "core/install_paths.h"
#include "core/random.h"
#include "core/temporary_folder.h"

#ifdef HAPLOSPIN_HAS_TORCH

namespace haplospin {
namespace {

using testing::HasSubstr;
using testing::Not;

class TabularCommandTest : public testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  // x, color and the target: "yes" where x > 0.
  static std::string Rows(int rows, uint64_t seed, bool with_target = true) {
    RandomStream random(seed);
    std::string text = with_target ? "x,color,y\n" : "x,color\n";
    for (int i = 0; i < rows; ++i) {
      const double x = random.Normal();
      text += std::to_string(x) + (random.Bernoulli(0.5) ? ",red" : ",\"blue\"");
      text += with_target ? (x > 0 ? ",yes\n" : ",no\n") : "\n";
    }
    return text;
  }

  static std::vector<std::string> Quick(std::vector<std::string> arguments, int steps = 3) {
    for (const char* text : {"--threads", "1", "--width", "8", "--depth", "2", "--heads", "2", "--ensemble", "1",
                             "--learning-rate", "0.02", "--validation-share", "0.5", "--steps"}) {
      arguments.emplace_back(text);
    }
    arguments.push_back(std::to_string(steps));
    return arguments;
  }

  ProgramResult Train(const std::string& data, std::vector<std::string> more = {}, int steps = 3) const {
    std::vector<std::string> arguments = {"hopular", "train", "--data", data, "--out", folder_ / "model"};
    if (std::ranges::find(more, "--target") == more.end()) more.insert(more.end(), {"--target", "y"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(Quick(arguments, steps));
  }

  // Exit code 2, one line that holds `message`, and no model.
  void ExpectError(const ProgramResult& result, const std::string& message) const {
    EXPECT_EQ(result.exit_code, 2) << message << result.err;
    EXPECT_EQ(result.out, "") << message;
    const size_t error = result.err.find("haplospin: error: ");
    ASSERT_NE(error, std::string::npos) << result.err;
    EXPECT_THAT(result.err.substr(error), HasSubstr(message));
    EXPECT_EQ(std::count(result.err.begin() + static_cast<long>(error), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "model"));
  }

  static void ExpectErrorOfPredict(const ProgramResult& result, const std::string& message) {
    EXPECT_EQ(result.exit_code, 2) << message << result.err;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, HasSubstr("haplospin: error: "));
    EXPECT_THAT(result.err, HasSubstr(message));
  }

  const TemporaryFolder folder_;
};

TEST_F(TabularCommandTest, TrainsAndPredicts) {
  const std::string data = Write("data.csv", Rows(120, 1));
  const ProgramResult trained = Train(data, {"--log", folder_ / "train.log"}, 120);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_THAT(Contents(folder_ / "train.log"), testing::ContainsRegex("LibTorch [0-9.]+[^ ]*, device c"));
  EXPECT_THAT(trained.err, HasSubstr("120 rows, 3 columns"));
  EXPECT_THAT(trained.err, HasSubstr("color: categorical, 2 categories (blue, red)"));

  const std::string test = Write("test.csv", Rows(50, 2));
  ASSERT_EQ(
      RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", test, "-o", folder_ / "out.csv"}).exit_code,
      0);
  std::istringstream predicted(Contents(folder_ / "out.csv")), truth(Contents(test));
  std::string line, true_line;
  std::getline(predicted, line);
  std::getline(truth, true_line);
  EXPECT_EQ(line, "y,y=no,y=yes");
  int right = 0, rows = 0;
  while (std::getline(predicted, line) && std::getline(truth, true_line)) {
    ++rows;
    right += line.substr(0, line.find(',')) == true_line.substr(true_line.rfind(',') + 1) ? 1 : 0;
  }
  EXPECT_EQ(rows, 50);
  EXPECT_GT(right, 40);

  // The same by way of standard input, and by the model's own name.
  const ProgramResult piped =
      RunProgram({"hopular", "predict", "-w", folder_ / "model", "--data", "-"}, Contents(test));
  EXPECT_EQ(piped.out, Contents(folder_ / "out.csv"));
  ExpectErrorOfPredict(RunProgram({"npt", "predict", "-w", folder_ / "model", "--data", test}), "a model of hopular");
}

TEST_F(TabularCommandTest, TheSameSeedGivesTheSameModel) {
  setenv("SOURCE_DATE_EPOCH", "1763600000", 1);  // a model file says on which day it was trained
  const std::string data = Write("data.csv", Rows(60, 1));
  ASSERT_EQ(Train(data, {"--seed", "7"}).exit_code, 0);
  const std::string first = Contents(folder_ / "model");
  ASSERT_EQ(Train(data, {"--seed", "7"}).exit_code, 0);
  EXPECT_EQ(Contents(folder_ / "model"), first);
  ASSERT_EQ(Train(data, {"--seed", "8"}).exit_code, 0);
  EXPECT_NE(Contents(folder_ / "model"), first);
}

TEST_F(TabularCommandTest, OtherRowsToPredictFrom) {
  ASSERT_EQ(Train(Write("data.csv", Rows(60, 1))).exit_code, 0);
  const std::string test = Write("test.csv", Rows(5, 2, false)), context = Write("context.csv", Rows(30, 3));
  const ProgramResult own = RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", test});
  const ProgramResult other =
      RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", test, "--context", context});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_TRUE(other.out != own.out || other.err.find("so --context changes nothing") != std::string::npos) << other.err;
  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", test, "--context", test}),
                       "required columns are missing: y");

  ASSERT_EQ(Train(context, {"--target", "x"}).exit_code, 0);
  const ProgramResult number =
      RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", context, "--context", context});
  EXPECT_THAT(number.err,
              testing::AnyOf(HasSubstr("so --context changes nothing"),
                             HasSubstr("(_sd) are of errors with the rows of training, not with --context")));
}

TEST_F(TabularCommandTest, SpinEncoded) {
  const std::string data = Write("data.csv", Rows(60, 1)), test = Write("test.csv", Rows(5, 2, false));
  const auto train = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"tabular", "train", "--model", "spin", "--data", data, "-t", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(Quick(arguments));
  };
  ASSERT_EQ(train({"--encode", "-o", folder_ / "points"}).exit_code, 0);
  const ProgramResult from_points = RunProgram({"tabular", "predict", "-w", folder_ / "points", "--data", test});
  EXPECT_EQ(from_points.exit_code, 0) << from_points.err;
  EXPECT_EQ(std::ranges::count(from_points.out, '\n'), 6);
  ExpectError(RunProgram({"npt", "train", "--encode", "--data", data, "-t", "y", "-o", folder_ / "model"}), "--encode");
}

TEST_F(TabularCommandTest, Evaluates) {
  const std::string data = Write("data.csv", Rows(60, 1));
  const ProgramResult result =
      RunProgram(Quick({"tabular", "evaluate", "--model", "npt", "--data", data, "-t", "y", "--folds", "3", "--json",
                        folder_ / "out.json", "--html", folder_ / "out.html", "--explain", "5"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("accuracy"));
  EXPECT_THAT(result.out, HasSubstr("AUROC, nearest neighbors"));
  EXPECT_THAT(result.out, HasSubstr("line 5 attends to"));
  EXPECT_THAT(Contents(folder_ / "out.json"), HasSubstr("\"folds\""));
  EXPECT_THAT(Contents(folder_ / "out.json"), HasSubstr("\"importance\""));
  EXPECT_THAT(Contents(folder_ / "out.html"), HasSubstr("<svg"));
}

TEST_F(TabularCommandTest, EvaluatesGivenFoldsOfANumber) {
  RandomStream random(1);
  std::string text = "x;fold;y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(random.Normal()) + (i % 2 == 0 ? ";a;" : ";b;") + std::to_string(random.Normal()) + "\n";
  }
  const ProgramResult result = RunProgram(Quick({"tabular", "evaluate", "--model", "set-transformer", "--data",
                                                 Write("data.csv", text), "-t", "y", "--fold-column", "fold"}));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("RMSE"));
  EXPECT_THAT(result.out, Not(HasSubstr("accuracy")));
}

TEST_F(TabularCommandTest, ValidatesOnMarkedRows) {
  std::string text = "x,v,y\n";
  RandomStream random(1);
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(random.Normal()) + (i % 4 == 0 ? ",1," : ",0,") + (i % 3 == 0 ? "u\n" : "w\n");
  }
  EXPECT_EQ(Train(Write("data.csv", text), {"--validation-column", "v"}).exit_code, 0);
  std::filesystem::remove(folder_ / "model");
  ExpectError(Train(Write("data.csv", text), {"--validation-column", "x"}), "line 2: column 'x'");
}

// Invalid input; see also tests/learning/tables for the messages of the table reader.
TEST_F(TabularCommandTest, FilesThatAreNoTable) {
  ExpectError(Train(folder_ / "absent.csv"), "cannot open");
  ExpectError(Train(Write("empty.csv", "")), "empty.csv: empty");
  ExpectError(Train(Write("header.csv", "x,y\n")), "a header but no rows");
  ExpectError(Train(Write("no_header.csv", "1,2\n3,4\n")), "--no-header");
  ExpectError(Train(Write("ragged.csv", "x,y\n1,2\n3\n")), "line 3: 1 fields, but 2 in line 1");
}

TEST_F(TabularCommandTest, ColumnsForTwoThings) {
  const std::string data = Write("data.csv", Rows(30, 1));
  ExpectError(Train(data, {"--target", "y", "--target", "y"}), "column 'y' is given as --target twice");
  const auto evaluate = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"tabular", "evaluate", "--model", "gp", "--data", data, "-t", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunProgram(arguments);
  };
  ExpectError(evaluate({"--fold-column", "y"}), "column 'y' defines folds, and is given to --target, too");
  ExpectError(evaluate({"--test-column", "x", "--ignore", "x"}), "is given to --ignore, too");
  const std::string both = folder_ / "both";
  ExpectError(evaluate({"--json", both, "--html", both}), "two of --json and --html are");
}

TEST_F(TabularCommandTest, AContextWithoutTargets) {
  const std::string data = Write("data.csv", Rows(30, 1));
  ASSERT_EQ(Train(data).exit_code, 0);
  std::string text = "x,color,y\n";
  for (int i = 0; i < 12; ++i) text += std::to_string(i) + ",red,\n";
  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "--weights", folder_ / "model", "--data", data, "--context",
                                   Write("context.csv", text)}),
                       "context.csv: no row has a value of the target 'y'");
}

TEST_F(TabularCommandTest, TargetsThatCannotBeLearned) {
  const std::string data = Write("data.csv", Rows(30, 1));
  ExpectError(Train(data, {"--target", "z"}), "no column 'z' for --target; the columns are x, color, y");
  std::string constant = "x,y\n", single = "x,y\n", none = "x,y\n";
  for (int i = 0; i < 30; ++i) {
    const std::string x = std::to_string(i);
    constant += x + ",a\n";
    single += x + (i == 17 ? ",rare\n" : i % 2 == 0 ? ",a\n" : ",b\n");
    none += x + ",\n";
  }
  ExpectError(Train(Write("constant.csv", constant)), "target 'y' has the same value in every row");
  const ProgramResult rare = Train(Write("single.csv", single));
  EXPECT_EQ(rare.exit_code, 0) << rare.err;
  EXPECT_THAT(rare.err, HasSubstr("line 19: class 'rare' of target 'y' has only this row"));
  std::filesystem::remove(folder_ / "model");
  ExpectError(Train(Write("none.csv", none)), "target 'y' has no values");
  ExpectError(Train(Write("few.csv", "x,y\n1,a\n2,b\n3,a\n4,b\n")), "at least 10 are needed");
  ExpectError(Train(Write("alone.csv", "y\na\nb\na\nb\n")), "no columns except the targets");
}

TEST_F(TabularCommandTest, ColumnsWithoutValuesAreDropped) {
  std::string text = "x,nothing,y\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i) + (i % 2 == 0 ? ",NA,a\n" : ",?,b\n");
  const ProgramResult result = Train(Write("data.csv", text));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("column 'nothing' has no values: not used"));
}

// Decimal commas, dates, text among numbers, a token of the user's, a constant column and names of the rows; in predict
// they are read as in train.
TEST_F(TabularCommandTest, TablesAsTheyAre) {
  RandomStream random(1);
  std::string text = "name;x;day;same;y\n";
  for (int i = 0; i < 40; ++i) {
    const double x = random.Normal();
    text += fmt::format("row {};{};2021-03-{:02};7;{}\n", i,
                        i == 4   ? "unknown"
                        : i == 5 ? "-99"
                                 : fmt::format("{},5", i),
                        i % 28 + 1, x > 0 ? "yes" : "no");
  }
  const ProgramResult result = Train(Write("data.csv", text), {"--id", "name", "--missing", "-99"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("column 'x' is numeric but for 'unknown' (1): read as missing"));
  EXPECT_THAT(result.err, HasSubstr("x: numeric, 0.5 to 39.5, 2 missing"));
  EXPECT_THAT(result.err, HasSubstr("day: date, 2021-03-01 to 2021-03-28"));
  EXPECT_THAT(result.err, HasSubstr("the same value in every row of column same: not used"));
  const std::string rows = Write("new.csv", "name;x;day\nann;2,5;2021-03-04\nbob;unknown;\ncy;-99;2021-04-01\n");
  const ProgramResult predicted = RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", rows});
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  EXPECT_THAT(predicted.out, testing::StartsWith("name,y,y=no,y=yes\nann,"));
  EXPECT_THAT(predicted.out, HasSubstr("\ncy,"));
  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "-w", folder_ / "model", "--data", rows, "--id", "z"}),
                       "no column 'z' for --id");
}

TEST_F(TabularCommandTest, FoldsAreCheckedFirst) {
  const std::string data = Write("data.csv", Rows(30, 1));
  ExpectError(RunProgram({"npt", "evaluate", "--data", data, "-t", "y", "--folds", "500"}), "has 30 rows");
}

TEST_F(TabularCommandTest, OptionsThatDoNotFit) {
  const std::string data = Write("data.csv", Rows(30, 1));
  ExpectError(Train(data, {"--categorical", "y", "--numeric", "y"}), "'y'");
  ExpectError(RunProgram({"npt", "train", "--data", data, "-t", "y", "--width", "9", "--heads", "2", "--out",
                          folder_ / "model"}),
              "--width 9 is not a multiple of --heads 2");
  ExpectError(RunProgram({"npt", "train", "--data", data, "-t", "y", "--depth", "3", "--out", folder_ / "model"}),
              "--depth must be even");
  ExpectError(RunProgram({"tabular", "train", "--data", data, "-t", "y", "--width", "16", "--out", folder_ / "model"}),
              "--width is for networks, but --model auto trains none; give --model npt");
  ExpectError(RunProgram({"tabular", "evaluate", "--data", data, "-t", "y", "--explain", "5"}),
              "--explain shows the attention of networks, but --model auto and gp train none");
  ExpectError(RunProgram({"npt", "learn"}), "unknown command 'learn'");
  ExpectError(RunProgram({"npt", "evaluate", "--data", data, "-t", "y", "--explain", "99"}), "--explain 99");
  ExpectError(RunProgram({"npt", "evaluate", "--data", data, "-t", "y", "--html", folder_ / "absent/report.html"}),
              "absent/report.html");
}

TEST_F(TabularCommandTest, PredictionSaysWhatItIgnores) {
  ASSERT_EQ(Train(Write("data.csv", Rows(40, 1))).exit_code, 0);
  const std::string model = folder_ / "model";
  const ProgramResult result = RunProgram(
      {"tabular", "predict", "-w", model, "--data", Write("new.csv", "extra,x,color\n1,0.5,green\n2,,red\n3,1,?\n")});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("columns not in the model are ignored: extra"));
  EXPECT_THAT(result.err, HasSubstr("column 'color': 1 value not in the training table, treated as missing"));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 4);

  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "-w", model, "--data", Write("less.csv", "color,z\nred,1\n")}),
                       "required columns are missing: x");
  ExpectErrorOfPredict(
      RunProgram({"tabular", "predict", "-w", model, "--data", Write("text.csv", "x,color\n1,red\nabc,red\n")}),
      "line 3: column 'x': expected a number, but found 'abc'");
}

TEST_F(TabularCommandTest, DamagedModelsAndNothingOverwritten) {
  ASSERT_EQ(Train(Write("data.csv", Rows(40, 1))).exit_code, 0);
  const std::string model = folder_ / "model", out = Write("out.csv", "mine");
  const std::string test = Write("test.csv", Rows(3, 2, false));
  const std::string whole = Contents(model);
  const std::string cut = Write("cut", whole.substr(0, whole.size() / 2));
  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "-w", cut, "--data", test, "-o", out}), "cut");
  ExpectErrorOfPredict(RunProgram({"tabular", "predict", "-w", test, "--data", test, "-o", out}), "test.csv");
  ExpectErrorOfPredict(
      RunProgram({"tabular", "predict", "-w", ModelsFolder() + "/imputer.safetensors", "--data", test}),
      "found a model of the kind 'imputer', but expected a tabular model");
  ExpectErrorOfPredict(
      RunProgram({"tabular", "predict", "-w", model, "--data", Write("bad.csv", "x,color\n1,red\n1\n"), "-o", out}),
      "line 3");
  EXPECT_EQ(Contents(out), "mine");
  EXPECT_EQ(Train(Write("ragged.csv", "x,y\n1\n")).exit_code, 2);
  EXPECT_EQ(Contents(model), whole);
}

}  // namespace
}  // namespace haplospin

#endif
